import { expect, test } from 'vitest';
import { helpTail, isGroup, unknownCommandText, usageText } from '../../../src/cli/usage.ts';

const summaries = [
  ['haproxy reload', 'ask for a reload'],
  ['haproxy status', 'what runs'],
  ['show-config', 'print the values'],
  ['show-config keepalived', `so long that it ${'goes on and '.repeat(8)}ends`],
  ['status', 'who holds each VIP'],
] as const;

test.each([
  ['stauts', 'did you mean "status"?\nhawser --help lists'],
  ['haproxy relaod', 'did you mean "haproxy reload"?\nhawser haproxy --help lists'],
  ['haproxy bogus', 'unknown command\nhawser haproxy --help lists'],
  ['show-config keepalive', 'did you mean "show-config keepalived"?'],
  ['bogus', 'unknown command\nhawser --help lists'],
])('unknown command: "%s"', (typed, said) => {
  const text = unknownCommandText(typed, summaries);
  expect(text).toContain(`Cannot run "${typed}": unknown command`);
  expect(text).toContain(said);
});

test('the usage of a group lists only its commands, and no line is wider than 80 columns', () => {
  expect(usageText(summaries, 'haproxy')).toBe(
    [
      'Usage: hawser haproxy COMMAND [--help]',
      '',
      '  haproxy reload          ask for a reload',
      '  haproxy status          what runs',
      '',
    ].join('\n'),
  );
  const lines = usageText(summaries).split('\n');
  expect(lines).toContain('  status                  who holds each VIP');
  expect(lines.map(({ length }) => length).filter((length) => length > 80)).toEqual([]);
});

test('a group is a word with which several commands begin', () => {
  expect(['haproxy', 'show-config', 'status', '', 'hap'].map((name) => isGroup(summaries, name))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('examples come with their purpose, then the notes, in 80 columns', () => {
  const tail = helpTail(
    [['hawser status', 'on any node'], ['hawser status --watch']],
    [`It ${'goes on and '.repeat(9)}ends.`, 'Exit codes: 0 healthy.'],
  );
  expect(tail.split('\n')).toEqual([
    'Examples:',
    '  hawser status',
    '      # on any node',
    '  hawser status --watch',
    '',
    'It goes on and goes on and goes on and goes on and goes on and goes on and goes',
    'on and goes on and goes on and ends.',
    'Exit codes: 0 healthy.',
  ]);
});

test('a long example can be pasted: it is wrapped with a backslash, and not within quotes', () => {
  const typed = `hawser status --json --timeout 1s --haproxy-monitor 127.0.0.1:2 | jq -r '.vips[] | [.vip, .holders[]] | @tsv'`;
  expect(
    helpTail([[typed]], [])
      .split('\n')
      .slice(1, -1),
  ).toEqual([
    '  hawser status --json --timeout 1s --haproxy-monitor 127.0.0.1:2 | jq -r \\',
    "      '.vips[] | [.vip, .holders[]] | @tsv'",
  ]);
});
