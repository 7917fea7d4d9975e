import { expect, test } from 'vitest';
import { helpTail } from '../../../src/cli/help-text.ts';

test('examples with what they are good for, then the notes, in 80 columns', () => {
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

test('a long line can be typed as it stands: a shell goes on after the backslash, and no quotes are torn', () => {
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
