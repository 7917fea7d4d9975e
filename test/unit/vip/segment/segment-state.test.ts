import { expect, test } from 'vitest';
import type { SegmentFact } from '../../../../src/vip/participation/participation.ts';
import {
  failedVipUse,
  initialVipUse,
  nextRoundInMs,
  nextVipUse,
  segmentOf,
  type VipUseRound,
  worstOf,
} from '../../../../src/vip/segment/segment-state.ts';

const answered: Partial<VipUseRound> = { isAnswered: true };
const advertised: Partial<VipUseRound> = { isAnswered: true, isAdvertised: true };
const silent: Partial<VipUseRound> = {};

type Round = Partial<VipUseRound> | 'failed';

/** The fact at the time of the last of these rounds, which are a second apart. */
function judgedAt(masterDownMs: number, ...rounds: readonly Round[]): SegmentFact {
  const state = rounds.reduce<typeof initialVipUse>(
    (before, round, index) =>
      round === 'failed'
        ? failedVipUse(before)
        : nextVipUse(before, {
            isAnswered: false,
            isAdvertised: false,
            masterDownMs,
            nowMs: index * 1_000,
            ...round,
          }),
    initialVipUse,
  );
  return segmentOf(state, (rounds.length - 1) * 1_000, masterDownMs);
}
const playAt = (masterDownMs: number, ...rounds: readonly Round[]) => judgedAt(masterDownMs, ...rounds).kind;
const play = (...rounds: readonly Round[]) => playAt(600, ...rounds);
const repeat = (count: number, round: Round) => Array.from({ length: count }, () => round);

test('the segment is unknown before the third round', () => {
  expect(play(answered, answered)).toBe('unknown');
  expect(play(silent, silent)).toBe('unknown');
});

test('a VIP for which no other host answers is free', () => {
  expect(play(...repeat(3, silent))).toBe('free');
});

test('with a long advert interval, silence counts only after the master-down time', () => {
  expect(playAt(12_200, ...repeat(13, silent))).toBe('unknown');
  expect(playAt(12_200, ...repeat(14, silent))).toBe('free');
  expect(playAt(12_200, ...repeat(20, silent), answered, ...repeat(3, silent))).toBe('unknown');
});

test('a host that answers without adverts to this node is unheard, even if answers are lost', () => {
  expect(play(...repeat(3, answered))).toBe('unheard');
  expect(play(answered, silent, silent)).toBe('unheard');
  expect(play(...repeat(9, answered), silent, silent)).toBe('unheard');
});

test('the VIP of a holder that stopped answering is free after three silent rounds', () => {
  expect(play(...repeat(9, answered), ...repeat(3, silent))).toBe('free');
});

test('a holder is heard until two rounds pass without an advert', () => {
  expect(play(...repeat(3, advertised))).toBe('heard');
  expect(play(advertised, advertised, answered)).toBe('heard');
  expect(play(advertised, answered, answered)).toBe('unheard');
  expect(play(...repeat(9, advertised), answered, answered)).toBe('unheard');
});

test('with a long advert interval, an advert counts for two intervals', () => {
  expect(playAt(12_200, advertised, ...repeat(6, answered))).toBe('heard');
  expect(playAt(12_200, advertised, ...repeat(7, answered))).toBe('unheard');
});

test('the holder counts as heard since the last gap in its adverts', () => {
  const since = (masterDownMs: number, ...rounds: readonly Round[]) => {
    const segment = judgedAt(masterDownMs, ...rounds);
    return segment.kind === 'heard' ? segment.since : segment.kind;
  };
  expect(since(600, ...repeat(9, advertised))).toBe(0);
  expect(since(600, ...repeat(9, advertised), answered, ...repeat(3, advertised))).toBe(0);
  expect(since(600, ...repeat(9, advertised), answered, answered, ...repeat(3, advertised))).toBe(11_000);
  expect(since(12_200, ...repeat(3, advertised), ...repeat(5, answered), advertised)).toBe(0);
  expect(since(600, ...repeat(9, advertised), ...repeat(3, silent))).toBe('free');
});

test('of several VIPs the worst fact counts, and of several heard ones the latest', () => {
  const heard = (since: number): SegmentFact => ({ kind: 'heard', since });
  const unheard: SegmentFact = { kind: 'unheard' };
  expect(worstOf([heard(1), heard(2), { kind: 'free' }])).toEqual(heard(2));
  expect(worstOf([heard(1), { kind: 'unobservable' }])).toEqual({ kind: 'unobservable' });
  expect(worstOf([{ kind: 'unknown', until: 1 }, unheard, heard(1)])).toEqual(unheard);
  expect(worstOf([])).toEqual({ kind: 'unobservable' });
});

test('a failed round makes the segment unknown, and three in a row make it unobservable', () => {
  expect(play('failed')).toBe('unknown');
  expect(play('failed', 'failed')).toBe('unknown');
  expect(play(...repeat(3, 'failed'))).toBe('unobservable');
  expect(play(...repeat(3, silent), 'failed')).toBe('unknown');
  expect(play('failed', 'failed', silent, 'failed', 'failed')).toBe('unknown');
  expect(play(...repeat(2, 'failed'), ...repeat(3, answered))).toBe('unheard');
});

test('the pause is short until each VIP has had three rounds, but not after a failed round', () => {
  const heard = { isAnswered: false, isAdvertised: false, masterDownMs: 600, nowMs: 0 };
  const [first = initialVipUse, second = initialVipUse, third = initialVipUse] = [1, 2, 3].map((rounds) =>
    repeat(rounds, silent).reduce<typeof initialVipUse>((state) => nextVipUse(state, heard), initialVipUse),
  );
  const laterMs = nextRoundInMs([third]);
  expect(nextRoundInMs([first])).toBeLessThan(laterMs);
  expect(nextRoundInMs([third, second])).toBe(nextRoundInMs([first]));
  expect(nextRoundInMs([failedVipUse(first)])).toBe(laterMs);
  expect(nextRoundInMs([])).toBe(laterMs);
});
