import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeLagMs, plannedChange } from '../../../../src/vip/agreement/vrrp-agreement.ts';

const shellPods = { profile: 'openshift', mode: 'unicast' } as const;
const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

test('what is agreed already is no change, and what is not named stays', () => {
  const arrivedMs = at('12:00:00');
  expect(plannedChange(shellPods, { profile: 'openshift', arrivedMs }, false)).toBeUndefined();
  expect(plannedChange(shellPods, { mode: 'multicast', arrivedMs }, false)?.dialect).toEqual({
    profile: 'openshift',
    mode: 'multicast',
  });
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

const interval = (profile: 'fast' | 'openshift'): number => (profile === 'fast' ? 100 : 1_000);
const fast = { profile: 'fast', mode: 'unicast' } as const;
const multicast = { profile: 'fast', mode: 'multicast' } as const;

test.each([
  [shellPods, fast, 1_000],
  [fast, shellPods, 100],
])(
  'another profile: the holder is first, the others follow before they miss two adverts',
  (from, to, lag) => {
    expect(changeLagMs(true, from, to, interval)).toBe(0);
    expect(changeLagMs(false, from, to, interval)).toBe(lag);
  },
);

test('another mode: the holder is last, and before any node misses it in the new one', () => {
  expect(changeLagMs(false, multicast, fast, interval)).toBe(0);
  expect(changeLagMs(true, multicast, fast, interval)).toBe(200);
  expect(changeLagMs(true, fast, { ...shellPods, mode: 'multicast' }, interval)).toBe(2_000);
});
