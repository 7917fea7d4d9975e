import { afterEach, expect, test } from 'vitest';
import { localTime } from '../../../../src/operate/timeline/timeline-lines.ts';

const before = process.env['TZ'];
afterEach(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

test.each([
  ['Europe/Berlin', '2026-11-21T23:30:00.120Z', '2026-11-22, UTC+01:00', '00:30:00.120'],
  ['Europe/Berlin', '2026-07-01T10:00:00.000Z', '2026-07-01, UTC+02:00', '12:00:00.000'],
  ['America/St_Johns', '2026-11-21T00:00:00.000Z', '2026-11-20, UTC-03:30', '20:30:00.000'],
  ['UTC', '2026-11-21T00:00:00.000Z', '2026-11-21, UTC+00:00', '00:00:00.000'],
])('in %s a time is shown as the local time of that day', (zone, at, day, time) => {
  process.env['TZ'] = zone;
  expect(localTime(at, false)).toEqual({ day, time });
  expect(localTime(at, true).day).toBe(`${at.slice(0, 10)}, UTC`);
});
