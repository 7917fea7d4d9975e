import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { notePermission } from '../../../src/keepalived/noted-permission.ts';
import { createTrackGuard, forgetBonus } from '../../../src/keepalived/track-file.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hwkv-'));
  path = join(dir, 'lb.track');
});
afterEach(() => rmSync(dir, { recursive: true }));

const now = 1_800_000_000_000;
const write = (value: number, ageMs: number): void => {
  writeFileSync(path, `${value}\n`);
  utimesSync(path, (now - ageMs) / 1_000, (now - ageMs) / 1_000);
};
const read = (): number => Number(readFileSync(path, 'utf8'));

test('a file that is written often enough is not touched', () => {
  write(30, 2_900);
  const guard = createTrackGuard(path, 3_000);
  expect(guard(true, now)).toEqual({ path, silent: false, demoted: false, value: 30 });
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
  const guard = createTrackGuard(path, 3_000);
  expect(guard(holder, now)).toEqual({ path, silent: true, demoted: true, value: expected });
  expect(read()).toBe(expected);
});

test('FAULT stays valid for longer: the monitor of a booting node may not be up yet', () => {
  write(-254, 9_900);
  expect(createTrackGuard(path, 3_000)(false, now)).toEqual({
    path,
    silent: false,
    demoted: false,
    value: -254,
  });
  write(-254, 10_100);
  expect(createTrackGuard(path, 3_000)(false, now)).toEqual({
    path,
    silent: true,
    demoted: true,
    value: -180,
  });
});

test.each([true, false])(
  'a node that its monitor has refused stays in FAULT without it (HAProxy serves: %j)',
  (serves) => {
    write(-254, 10_100);
    notePermission(path, 'refused');
    const guard = createTrackGuard(path, 3_000, { serves: () => serves, forget: () => undefined });
    expect(guard(false, now)).toMatchObject({ silent: true, value: -254 });
    expect(guard(false, now + 3_600_000)).toMatchObject({ silent: true, value: -254 });
    expect(read()).toBe(-254);
  },
);

test('the value of a silent node follows the VIP, and its own writing is not taken for its monitor', () => {
  write(0, 3_100);
  const guard = createTrackGuard(path, 3_000);
  expect([guard(false, now), guard(true, now), guard(false, now)].map((look) => look?.value)).toEqual([
    -60, -30, -60,
  ]);
  expect(guard(false, now + 1)?.silent).toBe(true);
});

test.each([
  ['healthy', 0, false, 0],
  ['healthy holder', 30, true, 30],
  ['holder that has lost the VIP', 30, false, 0],
  ['backup that has taken the VIP', 0, true, 30],
  ['drained', -120, false, -120],
  ['claim', 44, true, 30],
  ['FAULT', -254, false, -180],
])(
  'silent while its HAProxy answers: the value of a %s stays, or follows the VIP',
  (_what, said, holder, expected) => {
    write(said, 10_100);
    const health = { serves: () => true, forget: () => undefined };
    const guard = createTrackGuard(path, 3_000, health);
    expect(guard(holder, now)).toEqual({ path, silent: true, demoted: false, value: expected });
    expect(read()).toBe(expected);
  },
);

test('a silent node is demoted while its HAProxy does not answer', () => {
  let serves = true;
  write(30, 3_100);
  const guard = createTrackGuard(path, 3_000, { serves: () => serves, forget: () => undefined });
  const values = [true, false, true].map((answer) => {
    serves = answer;
    return guard(true, now)?.value;
  });
  expect(values).toEqual([30, -30, 30]);
});

test('a monitor that writes again is trusted at once', () => {
  write(0, 3_100);
  const guard = createTrackGuard(path, 3_000);
  guard(false, now);
  write(0, 0);
  expect(guard(false, now)).toEqual({ path, silent: false, demoted: false, value: 0 });
});

test('a monitor is missed after as many looks, however far they are apart on a starved machine', () => {
  write(0, 100);
  const guard = createTrackGuard(path, 3_000);
  const looks = Array.from({ length: 14 }, (_, index) => guard(true, now + index * 2_000)?.silent);
  expect(looks).toEqual([...Array.from({ length: 12 }, () => false), true, true]);
});

test('a clock that was set forward makes no monitor silent', () => {
  write(30, 0);
  const guard = createTrackGuard(path, 3_000);
  guard(true, now);
  expect(guard(true, now + 3_600_000)?.silent).toBe(false);
});

test('without a file there is nothing to guard', () => {
  expect(createTrackGuard(path, 3_000)(true, now)).toBeUndefined();
});

test.each([
  [30, 0],
  [0, 0],
  [28, 28],
  [-30, -60],
  [-254, -254],
])('before a start, %i becomes %i', (before, after) => {
  write(before, 0);
  forgetBonus(path);
  expect(read()).toBe(after);
});
