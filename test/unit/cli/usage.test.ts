import { expect, test } from 'vitest';
import { isGroup, unknownCommandText, usageText } from '../../../src/cli/usage.ts';

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
])('what is no command: "%s"', (typed, said) => {
  const text = unknownCommandText(typed, summaries);
  expect(text).toContain(`Cannot run "${typed}": unknown command`);
  expect(text).toContain(said);
});

test('the usage of a group has its commands only, and no line is wider than 80 columns', () => {
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

test('a group is what several words begin with', () => {
  expect(['haproxy', 'show-config', 'status', '', 'hap'].map((name) => isGroup(summaries, name))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
