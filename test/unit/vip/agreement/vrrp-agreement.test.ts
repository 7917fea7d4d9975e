import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeLagMs, plannedChange } from '../../../../src/vip/agreement/vrrp-agreement.ts';
import { downTimerAdverts } from '../../../../src/vip/group/keepalived-model.ts';

const shellPods = { profile: 'openshift', mode: 'unicast', advertIntervalMs: 100 } as const;
const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

test('what is agreed already is no change, and what is not named stays', () => {
  const arrivedMs = at('12:00:00');
  expect(plannedChange(shellPods, { profile: 'openshift', arrivedMs }, false)).toBeUndefined();
  expect(plannedChange(shellPods, { mode: 'multicast', arrivedMs }, false)?.dialect).toEqual({
    ...shellPods,
    mode: 'multicast',
  });
  expect(plannedChange(shellPods, { advertIntervalMs: 20, arrivedMs }, false)).toBeUndefined();
});

test('the time that the file says counts, also for a node that is new', () => {
  const agreement = { profile: 'fast', atMs: at('12:34:56'), arrivedMs: at('12:00:01') } as const;
  for (const isNew of [true, false])
    expect(plannedChange(shellPods, agreement, isNew)?.atMs).toBe(at('12:34:56'));
});

describe('without a time', () => {
  test.each([
    ['12:00:00', '12:05:00'],
    ['12:00:01', '12:15:00'],
    ['12:09:59', '12:15:00'],
    ['23:59:00', '24:05:00'],
  ])('a file that came at %s means %s, as with the shell pods', (came, meant) => {
    const planned = plannedChange(shellPods, { mode: 'multicast', arrivedMs: at(came) }, false);
    const expected = meant === '24:05:00' ? at('00:05:00') + 86_400_000 : at(meant);
    expect(planned?.atMs).toBe(expected);
  });

  test('every node has five minutes at least, and all within one round mean one moment', () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(moment, fc.nat(599_999), (startMs, laterMs) => {
        const round = Math.floor(startMs / 600_000) * 600_000;
        const of = (arrivedMs: number) =>
          plannedChange(shellPods, { mode: 'multicast', arrivedMs }, false)?.atMs ?? 0;
        expect(of(round + 1 + laterMs)).toBe(of(round + 1));
        expect(of(startMs) - startMs).toBeGreaterThanOrEqual(300_000);
      }),
    );
  });

  test('a node that has spoken nothing yet begins with it', () => {
    const agreement = { profile: 'fast', arrivedMs: at('12:00:01') } as const;
    expect(plannedChange(shellPods, agreement, true)?.atMs).toBe(at('12:00:01'));
  });
});

const fast = { ...shellPods, profile: 'fast' } as const;
const multicast = { ...fast, mode: 'multicast' } as const;

test.each([
  [shellPods, fast, 1_000],
  [fast, shellPods, 100],
])(
  'another profile: the holder is first, the others follow before they miss two adverts',
  (from, to, lag) => {
    expect(changeLagMs(true, from, to)).toBe(0);
    expect(changeLagMs(false, from, to)).toBe(lag);
  },
);

test('another mode: the holder is last, and before any node misses it in the new one', () => {
  expect(changeLagMs(false, multicast, fast)).toBe(0);
  expect(changeLagMs(true, multicast, fast)).toBe(200);
  expect(changeLagMs(true, fast, { ...shellPods, mode: 'multicast' })).toBe(2_000);
});

test('at no time of a change of interval a backup takes the VIP from a holder that is late by less than 0.3 s', () => {
  const intervals = fc.integer({ min: 1, max: 100 }).map((tens) => tens * 10);
  fc.assert(
    fc.property(intervals, intervals, (fromMs, toMs) => {
      fc.pre(fromMs !== toMs);
      const [from, to] = [
        { ...fast, advertIntervalMs: fromMs },
        { ...fast, advertIntervalMs: toMs },
      ];
      const [holderMs, backupMs] = [changeLagMs(true, from, to), changeLagMs(false, from, to)];
      expect(Math.abs(holderMs - backupMs)).toBeGreaterThan(1_000);
      const [heard, waits] = holderMs < backupMs ? [to, from] : [from, to];
      expect(heard.advertIntervalMs * downTimerAdverts(waits)).toBeGreaterThanOrEqual(300);
    }),
  );
});
