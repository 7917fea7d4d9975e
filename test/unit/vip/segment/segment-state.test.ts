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

const answered: Partial<VipUseRound> = { answers: ['a'] };
const advertised: Partial<VipUseRound> = { answers: ['a'], isAdvertised: true };
const silent: Partial<VipUseRound> = {};

type Round = Partial<VipUseRound> | 'failed';

/** Rounds a second apart, judged at the moment of the last. */
function judgedAt(masterDownMs: number, ...rounds: readonly Round[]): SegmentFact {
  const state = rounds.reduce<typeof initialVipUse>(
    (before, round, index) =>
      round === 'failed'
        ? failedVipUse(before)
        : nextVipUse(before, {
            answers: [],
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

test('nothing is known before the third round, whatever the first two have found', () => {
  expect(play(answered, answered)).toBe('unknown');
  expect(play(silent, silent)).toBe('unknown');
});

test('a VIP for which no other host answers is free', () => {
  expect(play(...repeat(3, silent))).toBe('free');
});

test('with a long advert interval silence is no evidence until a failover would be over', () => {
  expect(playAt(12_200, ...repeat(13, silent))).toBe('unknown');
  expect(playAt(12_200, ...repeat(14, silent))).toBe('free');
  expect(playAt(12_200, ...repeat(20, silent), answered, ...repeat(3, silent))).toBe('unknown');
});

test('a host that answers and sends no adverts here is not heard, also where answers are lost', () => {
  expect(play(...repeat(3, answered))).toBe('unheard');
  expect(play(answered, silent, silent)).toBe('unheard');
  expect(play(...repeat(9, answered), silent, silent)).toBe('unheard');
});

test('a holder that has gone has left it free after three silent rounds', () => {
  expect(play(...repeat(9, answered), ...repeat(3, silent))).toBe('free');
});

test('a holder whose adverts come here does not keep a node out, and does so two rounds after the last of them', () => {
  expect(play(...repeat(3, advertised))).toBe('heard');
  expect(play(advertised, advertised, answered)).toBe('heard');
  expect(play(advertised, answered, answered)).toBe('unheard');
  expect(play(...repeat(9, advertised), answered, answered)).toBe('unheard');
});

test('with a long advert interval an advert counts for two intervals', () => {
  expect(playAt(12_200, advertised, ...repeat(6, answered))).toBe('heard');
  expect(playAt(12_200, advertised, ...repeat(7, answered))).toBe('unheard');
});

test('the holder is heard since the last gap in its adverts', () => {
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

test('the worst of several VIPs counts, and the latest that is heard', () => {
  const heard = (since: number): SegmentFact => ({ kind: 'heard', since });
  const unheard: SegmentFact = { kind: 'unheard', macs: ['a'] };
  expect(worstOf([heard(1), heard(2), { kind: 'free' }])).toEqual(heard(2));
  expect(worstOf([heard(1), { kind: 'unobservable' }])).toEqual({ kind: 'unobservable' });
  expect(worstOf([{ kind: 'unknown', until: 1 }, unheard, heard(1)])).toEqual(unheard);
  expect(worstOf([])).toEqual({ kind: 'unobservable' });
});

test('a round that failed says nothing, and after three in a row the segment cannot be asked', () => {
  expect(play('failed')).toBe('unknown');
  expect(play('failed', 'failed')).toBe('unknown');
  expect(play(...repeat(3, 'failed'))).toBe('unobservable');
  expect(play(...repeat(3, silent), 'failed')).toBe('unknown');
  expect(play('failed', 'failed', silent, 'failed', 'failed')).toBe('unknown');
  expect(play(...repeat(2, 'failed'), ...repeat(3, answered))).toBe('unheard');
});

test('rounds follow each other faster until each VIP was asked for three times, but not after one that failed', () => {
  const heard = { answers: [], isAdvertised: false, masterDownMs: 600, nowMs: 0 };
  const [first = initialVipUse, second = initialVipUse, third = initialVipUse] = [1, 2, 3].map((rounds) =>
    repeat(rounds, silent).reduce<typeof initialVipUse>((state) => nextVipUse(state, heard), initialVipUse),
  );
  const laterMs = nextRoundInMs([third]);
  expect(nextRoundInMs([first])).toBeLessThan(laterMs);
  expect(nextRoundInMs([third, second])).toBe(nextRoundInMs([first]));
  expect(nextRoundInMs([failedVipUse(first)])).toBe(laterMs);
  expect(nextRoundInMs([])).toBe(laterMs);
});
