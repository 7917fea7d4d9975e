import { expect, test } from 'vitest';
import { parseMoment } from '../../../src/cli/moment-field.ts';

const now = new Date('2026-11-21T12:00:00Z');

test.each([
  ['90m', '2026-11-21T10:30:00.000Z'],
  ['24h', '2026-11-20T12:00:00.000Z'],
  ['7d', '2026-11-14T12:00:00.000Z'],
  ['2026-11-21T03:12:00Z', '2026-11-21T03:12:00.000Z'],
  ['2026-11-21T03:12:00.5+01:00', '2026-11-21T02:12:00.500Z'],
])('%s is %s', (text, at) => expect(parseMoment(text, now)).toBe(at));

test("a time without a zone, and a date alone, use this machine's local time", () => {
  expect(parseMoment('2026-11-21 03:12', now)).toBe(new Date(2026, 10, 21, 3, 12).toISOString());
  expect(parseMoment('2026-11-21', now)).toBe(new Date(2026, 10, 21).toISOString());
});

test.each(['', '24', 'yesterday', '-5m', '2026-13-01', '2026-11-21T03:61', '1e9d', '999999d', '21.11.2026'])(
  '"%s" is not a time',
  (text) => expect(parseMoment(text, now)).toBeUndefined(),
);
