import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { notePermission } from '../../../../src/keepalived/noted-permission.ts';
import { createTrackGuard, readTrackValue } from '../../../../src/keepalived/track-file.ts';
import type { VipUse } from '../../../../src/vip/guards/vip-use.ts';
import { createPermission } from '../../../../src/vip/health/permission.ts';
import { createTrackWriter } from '../../../../src/vip/health/track-writer.ts';

let dir: string;
let trackFile: string;
let now: {
  confirmed: boolean;
  excluded: boolean;
  undecided: boolean;
  reunited: boolean;
  use: VipUse;
  ms: number;
  looks: number;
  forgotten: number;
};
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-permission-'));
  trackFile = join(dir, 'lb.track');
  now = {
    ...{ confirmed: false, excluded: false, undecided: false, reunited: false },
    ...{ use: clear, ms: 0, looks: 0, forgotten: 0 },
  };
});
afterEach(() => rmSync(dir, { recursive: true }));

const permission = () =>
  createPermission(
    trackFile,
    {
      isConfirmed: () => now.confirmed,
      isExcluded: () => now.excluded,
      isUndecided: () => now.undecided,
      isReunited: () => now.reunited,
    },
    {
      look: () => {
        now.looks += 1;
        return now.use;
      },
      forget: () => {
        now.forgotten += 1;
      },
    },
    () => now.ms,
  );
const clear: VipUse = { kind: 'clear', heardForMs: Number.POSITIVE_INFINITY };
const elsewhere: VipUse = { kind: 'elsewhere', holders: ['02:00:00:00:00:01'] };

test('a node without an API server waits ten seconds, and thirty with an unconfirmed list', () => {
  const ask = permission();
  now.ms = 9_999;
  expect(ask().kind).toBe('waiting');
  now.ms = 10_000;
  now.undecided = true;
  expect(ask().kind).toBe('waiting');
  now.ms = 30_000;
  expect(ask().kind).toBe('given');
});

test('a node whose whole group is back, and finds no API server on any of them, takes part in less than 2 s', () => {
  const ask = permission();
  now.reunited = true;
  expect(ask().kind).toBe('waiting');
  now.ms = 1_999;
  expect(ask().kind).toBe('given');
});

test.each<[string, Partial<typeof now>]>([
  ['an API server has given an unconfirmed list', { undecided: true }],
  ['another host holds the VIP', { use: elsewhere }],
  ['the segment cannot be asked', { use: { kind: 'unseen' } }],
  ['one of them is not back', { reunited: false }],
])('if %s, a node without an API server still waits ten seconds', (_, change) => {
  const ask = permission();
  now = { ...now, reunited: true, ...change };
  now.ms = 9_999;
  expect(ask().kind).toBe('waiting');
});

test('a node that was kept out waits for ten seconds, though its whole group is back', () => {
  notePermission(trackFile, 'refused');
  const ask = permission();
  now.reunited = true;
  now.ms = 9_999;
  expect(ask().kind).toBe('waiting');
});

test('if the segment cannot be probed, a node joins after ten seconds: the guard must not keep a cluster down', () => {
  const ask = permission();
  now.use = { kind: 'unseen' };
  now.ms = 10_000;
  expect(ask().kind).toBe('given');
});

test('findings on the segment are forgotten when a node leaves the list, however briefly', () => {
  const ask = permission();
  ask();
  expect(now.forgotten).toBe(0);
  now.excluded = true;
  ask();
  expect(now.forgotten).toBe(1);
});

test('a node whose VIP is held by a host that it does not hear stays out until that host is gone', () => {
  const ask = permission();
  now.use = elsewhere;
  expect(ask().kind).toBe('waiting');
  now.ms = 3_600_000;
  expect(ask()).toEqual({ kind: 'held-elsewhere', holders: ['02:00:00:00:00:01'] });
  now.use = clear;
  expect(ask().kind).toBe('given');
});

test('a node that has not yet seen whether its VIP is held goes on waiting', () => {
  const ask = permission();
  now.use = { kind: 'unknown' };
  now.ms = 10_000;
  expect(ask().kind).toBe('waiting');
});

test('a node that takes part goes on, and does not ask the segment again, whichever node holds the VIP', () => {
  const ask = permission();
  now.confirmed = true;
  now.use = elsewhere;
  expect(ask().kind).toBe('given');
  now.confirmed = false;
  expect(ask().kind).toBe('given');
  expect(now.looks).toBe(0);
});

test('a monitor that was only restarted goes on where it was', () => {
  notePermission(trackFile, 'given');
  now.use = elsewhere;
  expect(permission()().kind).toBe('given');
  expect(now.looks).toBe(0);
});

test.each(['0', '-150', '-180'])(
  'a track value of %s, which a supervisor may have written for a silent monitor, is no permission',
  (value) => {
    writeFileSync(trackFile, `${value}\n`);
    const ask = permission();
    now.use = elsewhere;
    expect(ask().kind).toBe('waiting');
    now.ms = 10_000;
    expect(ask().kind).toBe('held-elsewhere');
  },
);

test('a node that was kept out asks the segment again after its monitor was restarted', () => {
  notePermission(trackFile, 'refused');
  const ask = permission();
  now.use = elsewhere;
  now.ms = 10_000;
  expect(ask().kind).toBe('held-elsewhere');
});

test('a node that is listed again starts over', () => {
  const ask = permission();
  now.confirmed = true;
  expect(ask().kind).toBe('given');
  now.excluded = true;
  now.ms = 60_000;
  expect(ask().kind).toBe('waiting');
  [now.excluded, now.confirmed] = [false, false];
  now.ms = 69_999;
  expect(ask().kind).toBe('waiting');
  now.ms = 70_000;
  expect(ask().kind).toBe('given');
});

test('a node that is listed again stays out until the holder sends it adverts, however sure it is of its list', () => {
  const ask = permission();
  now.excluded = true;
  expect(ask().kind).toBe('waiting');
  [now.excluded, now.confirmed, now.use] = [false, true, { kind: 'unknown' }];
  expect(ask().kind).toBe('waiting');
  now.use = elsewhere;
  expect(ask().kind).toBe('held-elsewhere');
  now.use = clear;
  expect(ask().kind).toBe('given');
  now.use = elsewhere;
  expect(ask().kind).toBe('given');
});

test('a node that is listed again stays out while the holder may still forget it late', () => {
  const ask = permission();
  now.excluded = true;
  ask();
  [now.excluded, now.confirmed] = [false, true];
  now.use = { kind: 'clear', heardForMs: 9_999 };
  expect(ask().kind).toBe('waiting');
  now.use = elsewhere;
  expect(ask().kind).toBe('held-elsewhere');
  now.use = { kind: 'clear', heardForMs: 10_000 };
  expect(ask().kind).toBe('given');
});

test('a node that is listed again waits through rounds that fail, for half a minute at most', () => {
  const ask = permission();
  now.excluded = true;
  ask();
  [now.excluded, now.confirmed] = [false, true];
  now.use = { kind: 'unseen' };
  now.ms = 29_999;
  expect(ask().kind).toBe('waiting');
  now.ms = 30_000;
  expect(ask().kind).toBe('given');
});

test('a member that boots does not wait for the holder any longer than until it is heard', () => {
  const ask = permission();
  now.use = { kind: 'clear', heardForMs: 0 };
  now.ms = 10_000;
  expect(ask().kind).toBe('given');
});

test('a node that was kept out and is listed after its monitor was restarted asks the segment too', () => {
  notePermission(trackFile, 'refused');
  now.confirmed = true;
  now.use = elsewhere;
  expect(permission()().kind).toBe('held-elsewhere');
});

test('while it waits the FAULT of keepalived is kept fresh, and no other value and no missing file is touched', () => {
  const url = { secure: false, host: '127.0.0.1', port: 1, path: '/' };
  const writer = () =>
    createTrackWriter({ kind: 'api', trackFile, url }, { log: () => {}, once: createOnce() });
  writer().keepFault();
  expect(readTrackValue(trackFile)).toBe(0);
  writeFileSync(trackFile, '-60\n');
  writer().keepFault();
  expect(readTrackValue(trackFile)).toBe(-60);
  writeFileSync(trackFile, '-254');
  utimesSync(trackFile, 1, 1);
  const track = writer();
  track.keepFault();
  expect(statSync(trackFile).mtimeMs).toBeGreaterThan(1_000);
  expect(readTrackValue(trackFile)).toBe(-254);
  expect(track.written()).toBeUndefined();
});

test('a FAULT that is kept stays one for the supervisor, which takes an old one for that of a dead monitor', () => {
  const url = { secure: false, host: '127.0.0.1', port: 1, path: '/' };
  const valueAfter = (wait: () => void) => {
    writeFileSync(trackFile, '-254\n');
    utimesSync(trackFile, new Date(0), new Date(0));
    wait();
    return createTrackGuard(trackFile, 3_000)(false, Date.now())?.value;
  };
  expect(valueAfter(() => {})).toBeGreaterThan(-254);
  const track = createTrackWriter({ kind: 'api', trackFile, url }, { log: () => {}, once: createOnce() });
  expect(valueAfter(track.keepFault)).toBe(-254);
});
