import { type CompletedCommand, type CompletedValue, wordTree } from './completed-command.ts';
import { singleQuoted } from './single-quoted.ts';

/** Needs only bash 4, not the package bash-completion. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const tree = wordTree(commands);
  const groups = [...tree].filter(([, seconds]) => seconds.length > 0);
  return `# Completes hawser in bash. Made by: hawser completion bash
_hawser() {
  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  # bash takes the "=" of --flag=value for a word of its own.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  local command= length words= what= list=
  for length in 2 1; do
    ((COMP_CWORD > length)) || continue
    case "\${COMP_WORDS[*]:1:length}" in
      ${commands.map(({ name }) => singleQuoted(name)).join(' | ')})
        command=\${COMP_WORDS[*]:1:length}
        break
        ;;
    esac
  done
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    '1 '*) words=${singleQuoted([...tree.keys()].join(' '))} ;;
${groups.map(([first, seconds]) => `    ${singleQuoted(`2 ${first}`)}) words=${singleQuoted(seconds.join(' '))} ;;`).join('\n')}
  esac
  case "$command" in
${commands.map(flagsCase).join('\n')}
  esac
  case "$command $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $what in
    files)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; compgen -f -- "$cur")
      ;;
    directories)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      ;;
    text) COMPREPLY=() ;;
    *)
      # Of a list, what is behind the last comma.
      local before=
      [[ -z $list || $cur != *,* ]] || before=\${cur%,*},
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "\${cur#"$before"}")
      ;;
  esac
}
complete -F _hawser hawser
`;
}

/** Without a leading dash, completes the argument if the command has one. */
function flagsCase({ name, flags, arguments: [first] }: CompletedCommand): string {
  const all = `words="$words ${flags.map((flag) => flag.name).join(' ')}"`;
  const value = first?.value;
  const other = value?.kind === 'choices' ? `words='${value.choices.join(' ')}'` : 'what=files';
  const choice = value === undefined ? all : `if [[ $cur == -* ]]; then ${all}; else ${other}; fi`;
  return `    ${singleQuoted(name)}) ${choice} ;;`;
}

function valueCases({ name, flags }: CompletedCommand): readonly string[] {
  return flags.flatMap(({ name: flag, value }) =>
    value.kind === 'none' ? [] : [`    ${singleQuoted(`${name} ${flag}`)}) ${settingsFor(value)} ;;`],
  );
}

function settingsFor(value: CompletedValue): string {
  if (value.kind !== 'choices') return `words= what=${value.kind}`;
  return `words='${value.choices.join(' ')}' what= list=${value.isList ? '1' : ''}`;
}
