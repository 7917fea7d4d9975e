import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nextStep,
  plannedChange,
  type Step,
  type VrrpDialect,
} from '../../../../src/vip/agreement/vrrp-agreement.ts';
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
});

test('an interval that openshift does not use yet is agreed upon all the same', () => {
  const agreement = { advertIntervalMs: 20, arrivedMs: at('12:00:00') };
  expect(plannedChange(shellPods, agreement, false)?.dialect.advertIntervalMs).toBe(20);
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
    expect(nextStep(true, from, to).lagMs).toBe(0);
    expect(nextStep(false, from, to).lagMs).toBe(lag);
  },
);

test('another mode: the holder is last, and before any node misses it in the new one', () => {
  expect(nextStep(false, multicast, fast).lagMs).toBe(0);
  expect(nextStep(true, multicast, fast).lagMs).toBe(200);
  expect(nextStep(true, fast, { ...shellPods, mode: 'multicast' }).lagMs).toBe(2_000);
});

const every = (advertIntervalMs: number) => ({ ...fast, advertIntervalMs });
const interval = fc.integer({ min: 1, max: 4_095 }).map((tens) => every(tens * 10));
const patienceMs = (sends: VrrpDialect, waits: VrrpDialect): number =>
  sends.advertIntervalMs * downTimerAdverts(waits);

function stepsOf(isHolder: boolean, from: VrrpDialect, to: VrrpDialect): readonly Step[] {
  if (from.advertIntervalMs === to.advertIntervalMs) return [];
  const step = nextStep(isHolder, from, to);
  return [step, ...stepsOf(isHolder, step.dialect, to)];
}

/** What a node speaks from that time on. */
function spokenAt(lagMs: number, from: VrrpDialect, steps: readonly Step[]): VrrpDialect {
  return steps.findLast((step) => step.lagMs <= lagMs)?.dialect ?? from;
}

test('at no time of a change of interval a backup takes the VIP from a holder that is late by less than 0.3 s', () => {
  fc.assert(
    fc.property(interval, interval, (from, to) => {
      const [holder, backup] = [stepsOf(true, from, to), stepsOf(false, from, to)];
      for (const { lagMs } of [...holder, ...backup]) {
        const waits = spokenAt(lagMs, from, backup);
        expect(patienceMs(spokenAt(lagMs, from, holder), waits)).toBeGreaterThanOrEqual(300);
      }
      // A backup that begins anew knows only its own interval until the next advert comes.
      for (const { lagMs, dialect } of backup) {
        const sent = spokenAt(lagMs, from, holder).advertIntervalMs;
        expect(patienceMs(dialect, dialect)).toBeGreaterThanOrEqual(2 * sent);
      }
      for (const first of holder)
        for (const second of backup) expect(Math.abs(first.lagMs - second.lagMs)).toBeGreaterThan(1_000);
    }),
  );
});

test('a holder that sends every second comes to 20 ms by way of 100 ms, and the backups change in between', () => {
  expect(stepsOf(true, every(1_000), every(20))).toEqual([
    { dialect: every(100), lagMs: 0 },
    { dialect: every(20), lagMs: 20_000 },
  ]);
  expect(stepsOf(false, every(1_000), every(20))).toEqual([{ dialect: every(20), lagMs: 10_000 }]);
});
