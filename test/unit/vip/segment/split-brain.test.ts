import { describe, expect, test } from 'vitest';
import {
  type HolderRound,
  initialSplitBrain,
  nextSplitBrain,
  type OtherHolder,
  type SplitBrainState,
} from '../../../../src/vip/segment/split-brain-alarm.ts';

const higher: OtherHolder = { mac: 'a', node: { name: 'cp-1', address: '10.0.0.1', priority: 220 } };
const stranger: OtherHolder = { mac: 'f', node: undefined };

/** Rounds half a second apart, each with those who answer in it. */
function play(
  rounds: readonly (readonly OtherHolder[])[],
  part: Partial<HolderRound> = {},
  from: SplitBrainState = initialSplitBrain,
  startMs = 10_000,
): SplitBrainState {
  return rounds.reduce(
    (state, others, index) =>
      nextSplitBrain(state, { holds: true, others, nowMs: startMs + index * 500, ...part }),
    from,
  );
}
const times = (count: number, others: readonly OtherHolder[]) => Array.from({ length: count }, () => others);

describe('two holders', () => {
  test('are reported in the second round', () => {
    expect(play([[higher]]).split).toBe(false);
    expect(play([[higher], [higher]]).split).toBe(true);
  });

  test('seen in every other round only are not reported', () => {
    expect(play([[higher], [], [higher], [], [higher], []]).split).toBe(false);
  });

  test('are over after three silent rounds, or when this node holds nothing', () => {
    const split = play(times(2, [stranger]));
    expect(play(times(2, []), {}, split).split).toBe(true);
    expect(play(times(3, []), {}, split).split).toBe(false);
    expect(play([[stranger]], { holds: false }, split).split).toBe(false);
  });

  test('are not two if this node holds nothing', () => {
    expect(play(times(5, [higher]), { holds: false })).toMatchObject({ split: false });
  });
});
