import {
  type CompletedCommand,
  type CompletedFlag,
  type CompletedValue,
  wordTree,
} from './completed-command.ts';
import { singleQuoted } from './single-quoted.ts';

/** Works as a file named `_hawser` in fpath, and when it is sourced after compinit. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const tree = wordTree(commands);
  const summaryOf = (name: string): string => commands.find((each) => each.name === name)?.summary ?? '';
  const firsts = [...tree].map(([first, seconds]) => {
    const summary = summaryOf(first) || seconds.join(', ');
    return described(first, summary);
  });
  const groups = [...tree].filter(([, seconds]) => seconds.length > 0);
  const inOrder = commands.toSorted((a, b) => b.name.split(' ').length - a.name.split(' ').length);
  return `#compdef hawser
# Completes hawser in zsh. Made by: hawser completion zsh
_hawser() {
  local -a described
  if ((CURRENT == 2)); then
    described=(
${firsts.map((each) => `      ${each}`).join('\n')}
    )
    _describe -t commands command described
    return
  fi
  if ((CURRENT == 3)); then
    case "\${words[2]}" in
${groups.map(([first, seconds]) => groupCase(first, seconds, summaryOf)).join('\n')}
    esac
  fi
${inOrder.map(commandBlock).join('\n')}
}
if [[ "\${funcstack[1]}" == _hawser ]]; then _hawser "$@"; else compdef _hawser hawser; fi
`;
}

function groupCase(first: string, seconds: readonly string[], summaryOf: (name: string) => string): string {
  const rows = seconds.map((second) => described(second, summaryOf(`${first} ${second}`)));
  return `      ${first})
        described=(
${rows.map((row) => `          ${row}`).join('\n')}
        )
        _describe -t commands command described
        ;;`;
}

/** Drops the command's name: _arguments counts from the word after it. */
function commandBlock({ name, flags, arguments: positionals }: CompletedCommand): string {
  const words = name.split(' ');
  const condition = words.map((word, index) => `"\${words[${index + 2}]}" == ${word}`).join(' && ');
  const specs = [
    ...flags.map(flagSpec),
    ...positionals.map(({ name: label, value }, index) =>
      singleQuoted(`${index + 1}:${label}:${action(value)}`),
    ),
  ];
  return `  if ((CURRENT > ${words.length + 1})) && [[ ${condition} ]]; then
    words=(hawser "\${(@)words[${words.length + 2},-1]}")
    ((CURRENT -= ${words.length}))
    _arguments \\
${specs.map((spec) => `      ${spec}`).join(' \\\n')}
    return
  fi`;
}

function flagSpec({ name, help, value }: CompletedFlag): string {
  const text = help.replaceAll(/[[\]:\\]/g, (letter) => `\\${letter}`);
  if (value.kind === 'none') return singleQuoted(`${name}[${text}]`);
  return singleQuoted(`*${name}=[${text}]:value:${action(value)}`);
}

function action(value: CompletedValue): string {
  switch (value.kind) {
    case 'files':
      return '_files';
    case 'directories':
      return '_files -/';
    case 'choices':
      return value.isList ? `_values -s , value ${value.choices.join(' ')}` : `(${value.choices.join(' ')})`;
    case 'text':
    case 'none':
      return ' ';
  }
}

function described(word: string, summary: string): string {
  return singleQuoted(`${word}:${summary.replaceAll(':', '\\:')}`);
}
