import { expect, test } from 'vitest';
import {
  initialVipUse,
  nextVipUse,
  type VipUse,
  type VipUseRound,
  vipUseOf,
} from '../../../../src/vip/guards/vip-use.ts';

const answered: Partial<VipUseRound> = { answers: ['a'] };
const advertised: Partial<VipUseRound> = { answers: ['a'], isAdvertised: true };
const silent: Partial<VipUseRound> = {};

/** Rounds a second apart, judged at the moment of the last. */
function play(...rounds: readonly Partial<VipUseRound>[]): VipUse['kind'] {
  const state = rounds.reduce<typeof initialVipUse>(
    (before, round, index) =>
      nextVipUse(before, { answers: [], isAdvertised: false, nowMs: index * 1_000, ...round }),
    initialVipUse,
  );
  return vipUseOf(state, (rounds.length - 1) * 1_000).kind;
}
const times = (count: number, round: Partial<VipUseRound>) => Array.from({ length: count }, () => round);

test('nothing is known before the third round, whatever the first two have found', () => {
  expect(play(answered, answered)).toBe('unknown');
  expect(play(silent, silent)).toBe('unknown');
});

test('a VIP for which no other host answers is clear', () => {
  expect(play(...times(3, silent))).toBe('clear');
});

test('a host that answers and sends no adverts here holds it elsewhere, also where answers are lost', () => {
  expect(play(...times(3, answered))).toBe('elsewhere');
  expect(play(answered, silent, silent)).toBe('elsewhere');
  expect(play(...times(9, answered), silent, silent)).toBe('elsewhere');
});

test('a holder that has gone has left it clear after three silent rounds', () => {
  expect(play(...times(9, answered), ...times(3, silent))).toBe('clear');
});

test('a holder whose adverts come here does not keep a node out until it has been quiet for five seconds', () => {
  expect(play(...times(3, advertised))).toBe('clear');
  expect(play(advertised, ...times(4, answered))).toBe('clear');
  expect(play(advertised, ...times(5, answered))).toBe('elsewhere');
});
