import { type CompletedCommand, type CompletedValue, wordTree } from './completed-command.ts';

export function fishScript(commands: readonly CompletedCommand[]): string {
  const tree = wordTree(commands);
  const summaryOf = (name: string): string => commands.find((each) => each.name === name)?.summary ?? '';
  const firsts = [...tree].map(([first, seconds]) =>
    row('__hawser_is', ['-a', first, '-d', quoted(summaryOf(first) || seconds.join(', '))]),
  );
  const seconds = [...tree].flatMap(([first, names]) =>
    names.map((second) =>
      row(`__hawser_begins ${first}`, ['-a', second, '-d', quoted(summaryOf(`${first} ${second}`))]),
    ),
  );
  return `# Completes hawser in fish. Made by: hawser completion fish
function __hawser_words
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        string match -q -- '-*' $word; and break
        echo $word
    end
end
# The command whose flags are due is this one; no words: there is none yet.
function __hawser_is
    set -l words (__hawser_words)
    set -l command
    if contains -- "$words[1..2]" ${commands.map(({ name }) => quoted(name)).join(' ')}
        set command "$words[1..2]"
    else if contains -- "$words[1]" ${commands.map(({ name }) => quoted(name)).join(' ')}
        set command "$words[1]"
    else
        set command "$words"
    end
    test "$command" = "$argv"
end
# Exactly this has been typed.
function __hawser_begins
    set -l words (__hawser_words)
    test "$words" = "$argv"
end
complete -c hawser -f
${[...firsts, ...seconds, ...commands.flatMap(commandRows)].join('\n')}
`;
}

function commandRows({ name, flags, arguments: positionals }: CompletedCommand): readonly string[] {
  const condition = `__hawser_is ${name}`;
  return [
    ...flags.map(({ name: flag, help, value }) =>
      row(condition, ['-l', flag.slice(2), ...valueWords(value), '-d', quoted(help)]),
    ),
    ...positionals.map(({ value }) =>
      row(
        condition,
        valueWords(value).filter((word) => word !== '-r'),
      ),
    ),
  ];
}

function valueWords(value: CompletedValue): readonly string[] {
  switch (value.kind) {
    case 'none':
      return [];
    case 'files':
      return ['-r', '-F'];
    case 'directories':
      return ['-x', '-a', quoted('(__fish_complete_directories)')];
    case 'text':
      return ['-x'];
    case 'choices':
      return [
        '-x',
        '-a',
        quoted(value.isList ? `(__fish_append , ${value.choices.join(' ')})` : value.choices.join(' ')),
      ];
  }
}

function row(condition: string, words: readonly string[]): string {
  return ['complete -c hawser -n', quoted(condition), ...words].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
