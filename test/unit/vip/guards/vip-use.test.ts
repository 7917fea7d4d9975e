import { expect, test } from 'vitest';
import {
  failedVipUse,
  initialVipUse,
  nextRoundInMs,
  nextVipUse,
  type VipUse,
  type VipUseRound,
  vipUseOf,
} from '../../../../src/vip/guards/vip-use.ts';

const answered: Partial<VipUseRound> = { answers: ['a'] };
const advertised: Partial<VipUseRound> = { answers: ['a'], isAdvertised: true };
const silent: Partial<VipUseRound> = {};

type Round = Partial<VipUseRound> | 'failed';

/** Rounds a second apart, judged at the moment of the last. */
function judgedAt(takeOverMs: number, ...rounds: readonly Round[]): VipUse {
  const state = rounds.reduce<typeof initialVipUse>(
    (before, round, index) =>
      round === 'failed'
        ? failedVipUse(before)
        : nextVipUse(before, {
            answers: [],
            isAdvertised: false,
            takeOverMs,
            nowMs: index * 1_000,
            ...round,
          }),
    initialVipUse,
  );
  return vipUseOf(state, (rounds.length - 1) * 1_000, takeOverMs);
}
const playAt = (takeOverMs: number, ...rounds: readonly Round[]) => judgedAt(takeOverMs, ...rounds).kind;
const play = (...rounds: readonly Round[]) => playAt(600, ...rounds);
const times = (count: number, round: Round) => Array.from({ length: count }, () => round);

test('nothing is known before the third round, whatever the first two have found', () => {
  expect(play(answered, answered)).toBe('unknown');
  expect(play(silent, silent)).toBe('unknown');
});

test('a VIP for which no other host answers is clear', () => {
  expect(play(...times(3, silent))).toBe('clear');
});

test('with a long advert interval silence is no evidence until a failover would be over', () => {
  expect(playAt(12_200, ...times(13, silent))).toBe('unseen');
  expect(playAt(12_200, ...times(14, silent))).toBe('clear');
  expect(playAt(12_200, ...times(20, silent), answered, ...times(3, silent))).toBe('unseen');
});

test('a host that answers and sends no adverts here holds it elsewhere, also where answers are lost', () => {
  expect(play(...times(3, answered))).toBe('elsewhere');
  expect(play(answered, silent, silent)).toBe('elsewhere');
  expect(play(...times(9, answered), silent, silent)).toBe('elsewhere');
});

test('a holder that has gone has left it clear after three silent rounds', () => {
  expect(play(...times(9, answered), ...times(3, silent))).toBe('clear');
});

test('a holder whose adverts come here does not keep a node out, and does so two rounds after the last of them', () => {
  expect(play(...times(3, advertised))).toBe('clear');
  expect(play(advertised, advertised, answered)).toBe('clear');
  expect(play(advertised, answered, answered)).toBe('elsewhere');
  expect(play(...times(9, advertised), answered, answered)).toBe('elsewhere');
});

test('with a long advert interval an advert counts for two intervals', () => {
  expect(playAt(12_200, advertised, ...times(6, answered))).toBe('clear');
  expect(playAt(12_200, advertised, ...times(7, answered))).toBe('elsewhere');
});

test('how long the holder was heard counts from the last gap in its adverts, and ends with nobody', () => {
  const forMs = (takeOverMs: number, ...rounds: readonly Round[]) => {
    const use = judgedAt(takeOverMs, ...rounds);
    return use.kind === 'clear' ? use.heardForMs : use.kind;
  };
  expect(forMs(600, ...times(9, advertised))).toBe(8_000);
  expect(forMs(600, ...times(9, advertised), answered)).toBe(8_000);
  expect(forMs(600, ...times(9, advertised), answered, ...times(3, advertised))).toBe(12_000);
  expect(forMs(600, ...times(9, advertised), answered, answered, ...times(3, advertised))).toBe(2_000);
  expect(forMs(12_200, ...times(3, advertised), ...times(5, answered), advertised)).toBe(8_000);
  expect(forMs(600, ...times(9, advertised), ...times(3, silent))).toBe(Number.POSITIVE_INFINITY);
});

test('a round that failed says nothing, and after three in a row the segment cannot be asked', () => {
  expect(play('failed')).toBe('unknown');
  expect(play('failed', 'failed')).toBe('unknown');
  expect(play(...times(3, 'failed'))).toBe('unseen');
  expect(play(...times(3, silent), 'failed')).toBe('unknown');
  expect(play('failed', 'failed', silent, 'failed', 'failed')).toBe('unknown');
  expect(play(...times(2, 'failed'), ...times(3, answered))).toBe('elsewhere');
});

test('rounds follow each other faster until each VIP was asked for three times, but not after one that failed', () => {
  const heard = { answers: [], isAdvertised: false, takeOverMs: 600, nowMs: 0 };
  const [first = initialVipUse, second = initialVipUse, third = initialVipUse] = [1, 2, 3].map((rounds) =>
    times(rounds, silent).reduce<typeof initialVipUse>((state) => nextVipUse(state, heard), initialVipUse),
  );
  const laterMs = nextRoundInMs([third]);
  expect(nextRoundInMs([first])).toBeLessThan(laterMs);
  expect(nextRoundInMs([third, second])).toBe(nextRoundInMs([first]));
  expect(nextRoundInMs([failedVipUse(first)])).toBe(laterMs);
  expect(nextRoundInMs([])).toBe(laterMs);
});
