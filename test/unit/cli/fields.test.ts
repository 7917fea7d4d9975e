import { expect, test } from 'vitest';
import { parseDurationMs } from '../../../src/cli/fields.ts';

test.each([
  ['500ms', 500],
  ['55s', 55_000],
  ['1.5s', 1_500],
  ['2m', 120_000],
  ['1h', 3_600_000],
  [' 5s ', 5_000],
  ['0s', 0],
])('%s is %i ms', (text, expected) => {
  expect(parseDurationMs(text)).toBe(expected);
});

test.each(['', '5', 's', '-5s', '5 s', '5S', '5d', '1e3s', '5ss', '.5s', '600h', 'NaNs'])(
  '"%s" is not a duration',
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
