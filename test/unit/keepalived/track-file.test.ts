import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  type ParticipationNote,
  writeParticipationNote,
} from '../../../src/keepalived/participation-note.ts';
import { createTrackFileWatchdog, removeBonus } from '../../../src/keepalived/track-file.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'lb.track');
});
const now = 1_800_000_000_000;
const write = (value: number, ageMs: number): void => {
  writeFileSync(path, `${value}\n`);
  utimesSync(path, (now - ageMs) / 1_000, (now - ageMs) / 1_000);
};
const read = (): number => Number(readFileSync(path, 'utf8'));

test('a track file that is refreshed in time is not changed', () => {
  write(30, 2_900);
  const watchdog = createTrackFileWatchdog(path, 3_000);
  expect(watchdog(true, now)).toEqual({ path, silent: false, demoted: false, value: 30 });
  expect(read()).toBe(30);
});

test.each([
  [0, false, -60],
  [30, true, -30],
  [-60, true, -30],
  [-90, true, -150],
  [-120, false, -180],
  [-150, true, -150],
])('silent after %i, holder %j: %i', (said, holder, expected) => {
  write(said, 3_100);
  const watchdog = createTrackFileWatchdog(path, 3_000);
  expect(watchdog(holder, now)).toEqual({ path, silent: true, demoted: true, value: expected });
  expect(read()).toBe(expected);
});

test('the value is overwritten in place, which also works on a full disk', () => {
  write(30, 3_100);
  const { ino } = statSync(path);
  createTrackFileWatchdog(path, 3_000)(false, now);
  expect([readFileSync(path, 'utf8'), statSync(path).ino]).toEqual(['-60 \n', ino]);
});

test('FAULT lasts longer, because the monitor of a booting node may not be running yet', () => {
  write(-254, 9_900);
  expect(createTrackFileWatchdog(path, 3_000)(false, now)).toEqual({
    path,
    silent: false,
    demoted: false,
    value: -254,
  });
  write(-254, 10_100);
  expect(createTrackFileWatchdog(path, 3_000)(false, now)).toEqual({
    path,
    silent: true,
    demoted: true,
    value: -180,
  });
});

const note = (part: Partial<ParticipationNote>) =>
  writeParticipationNote(path, {
    before: 'nothing',
    state: 'out',
    until: null,
    value: -254,
    healthUrl: null,
    ...part,
  });
const probeOf = (healthy: boolean) => ({ healthy: () => healthy, reset: () => undefined });

test.each([true, false])(
  'without its monitor, a node that is out stays in FAULT (HAProxy healthy: %j)',
  (healthy) => {
    write(-254, 10_100);
    note({ state: 'out' });
    const watchdog = createTrackFileWatchdog(path, 3_000, probeOf(healthy));
    expect(watchdog(false, now)).toMatchObject({ silent: true, value: -254 });
    expect(watchdog(false, now + 3_600_000)).toMatchObject({ silent: true, value: -254 });
    expect(read()).toBe(-254);
  },
);

test('without its monitor, a waiting node stays in FAULT until the wait ends', () => {
  write(-254, 10_100);
  note({ state: 'waiting', until: 5_000 });
  let uptimeMs = 4_999;
  const watchdog = createTrackFileWatchdog(path, 3_000, probeOf(true), () => uptimeMs);
  expect(watchdog(false, now)?.value).toBe(-254);
  uptimeMs = 5_000;
  expect(watchdog(false, now)?.value).toBe(-180);
});

test('the probe polls the URL in the note', () => {
  write(0, 3_100);
  note({ state: 'in', value: 0, healthUrl: 'http://127.0.0.1:1/' });
  const asked: (string | null)[] = [];
  const healthy = (url: string | null) => asked.push(url) > 0;
  expect(createTrackFileWatchdog(path, 3_000, { healthy, reset: () => undefined })(false, now)?.value).toBe(
    0,
  );
  expect(asked).toEqual(['http://127.0.0.1:1/']);
});

test("the value of a silent node follows the VIP, and the supervisor's writes do not count as the monitor's", () => {
  write(0, 3_100);
  const watchdog = createTrackFileWatchdog(path, 3_000);
  expect(
    [watchdog(false, now), watchdog(true, now), watchdog(false, now)].map((look) => look?.value),
  ).toEqual([-60, -30, -60]);
  expect(watchdog(false, now + 1)?.silent).toBe(true);
});

test.each([
  ['healthy', 0, false, 0],
  ['healthy holder', 30, true, 30],
  ['holder that has lost the VIP', 30, false, 0],
  ['backup that has taken the VIP', 0, true, 30],
  ['drained', -120, false, -120],
  ['promote', 44, true, 30],
  ['FAULT', -254, false, -180],
])(
  'silent while its HAProxy answers: the value of a %s stays, or follows the VIP',
  (_what, said, holder, expected) => {
    write(said, 10_100);
    const watchdog = createTrackFileWatchdog(path, 3_000, probeOf(true));
    expect(watchdog(holder, now)).toEqual({ path, silent: true, demoted: false, value: expected });
    expect(read()).toBe(expected);
  },
);

test('a silent node is demoted while its HAProxy does not answer', () => {
  let serves = true;
  write(30, 3_100);
  const watchdog = createTrackFileWatchdog(path, 3_000, { healthy: () => serves, reset: () => undefined });
  const values = [true, false, true].map((answer) => {
    serves = answer;
    return watchdog(true, now)?.value;
  });
  expect(values).toEqual([30, -30, 30]);
});

test('a monitor that writes again is trusted at once', () => {
  write(0, 3_100);
  const watchdog = createTrackFileWatchdog(path, 3_000);
  watchdog(false, now);
  write(0, 0);
  expect(watchdog(false, now)).toEqual({ path, silent: false, demoted: false, value: 0 });
});

test('on a starved machine a monitor is silent after the same number of checks, however infrequent', () => {
  write(0, 100);
  const watchdog = createTrackFileWatchdog(path, 3_000);
  const looks = Array.from({ length: 14 }, (_, index) => watchdog(true, now + index * 2_000)?.silent);
  expect(looks).toEqual([...Array.from({ length: 12 }, () => false), true, true]);
});

test('setting the clock forward makes no monitor silent', () => {
  write(30, 0);
  const watchdog = createTrackFileWatchdog(path, 3_000);
  watchdog(true, now);
  expect(watchdog(true, now + 3_600_000)?.silent).toBe(false);
});

test('without a file there is nothing to watch', () => {
  expect(createTrackFileWatchdog(path, 3_000)(true, now)).toBeUndefined();
});

test.each([
  [30, 0],
  [0, 0],
  [28, 28],
  [-30, -60],
  [-254, -254],
])('before a start, %i becomes %i', (before, after) => {
  write(before, 0);
  removeBonus(path);
  expect(read()).toBe(after);
});
