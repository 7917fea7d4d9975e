import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HolderRound,
  initialSplitBrain,
  nextSplitBrain,
  type OtherHolder,
  outranks,
  type SplitBrainState,
} from '../../../../src/vip/guards/split-brain.ts';

const self = { priority: 210, sourceAddress: '10.0.0.2' };
const higher: OtherHolder = { mac: 'a', peer: { name: 'cp-1', address: '10.0.0.1', priority: 220 } };
const lower: OtherHolder = { mac: 'c', peer: { name: 'cp-3', address: '10.0.0.3', priority: 200 } };
const stranger: OtherHolder = { mac: 'f', peer: undefined };

/** Rounds half a second apart, each with those who answer in it. */
function play(
  rounds: readonly (readonly OtherHolder[])[],
  part: Partial<HolderRound> = {},
  from: SplitBrainState = initialSplitBrain,
  startMs = 10_000,
): SplitBrainState {
  return rounds.reduce(
    (state, others, index) =>
      nextSplitBrain(
        state,
        { holds: true, resolve: true, others, nowMs: startMs + index * 500, ...part },
        self,
      ),
    from,
  );
}
const times = (count: number, others: readonly OtherHolder[]) => Array.from({ length: count }, () => others);

describe('two holders', () => {
  test('are believed in the second round', () => {
    expect(play([[higher]]).split).toBe(false);
    expect(play([[higher], [higher]]).split).toBe(true);
  });

  test('that are seen in every other round only are not', () => {
    expect(play([[higher], [], [higher], [], [higher], []]).split).toBe(false);
  });

  test('are over after three silent rounds, or when this node holds nothing', () => {
    const split = play(times(2, [stranger]));
    expect(play(times(2, []), {}, split).split).toBe(true);
    expect(play(times(3, []), {}, split).split).toBe(false);
    expect(play([[stranger]], { holds: false }, split).split).toBe(false);
  });

  test('are not two where this node holds nothing', () => {
    expect(play(times(5, [higher]), { holds: false })).toMatchObject({ split: false, out: false });
  });
});

describe('leaving', () => {
  test('takes three seconds of a split with a node of higher rank', () => {
    expect(play(times(6, [higher])).out).toBe(false);
    expect(play(times(7, [higher])).out).toBe(true);
  });

  test.each([
    ['a node of lower rank', lower, {}],
    ['a stranger, whatever it answers', stranger, {}],
    ['any node without --resolve-split-brain', higher, { resolve: false }],
  ])('never happens for %s', (_who, other, part) => {
    expect(play(times(100, [other]), part)).toMatchObject({ split: true, out: false });
  });

  test('lasts until there was no answer for five seconds', () => {
    const out = play(times(7, [higher]));
    const gone = { holds: false };
    expect(play(times(100, [higher]), gone, out, 14_000).out).toBe(true);
    const atMs = out.lastHeardMs;
    expect(play(times(10, []), gone, out, atMs).out).toBe(true);
    expect(play(times(11, []), gone, out, atMs).out).toBe(false);
  });

  test('lasts longer each time, at most a minute', () => {
    let state = initialSplitBrain;
    const outMs: number[] = [];
    for (let round = 0, nowMs = 10_000; round < 6; round += 1) {
      const leftAt = nowMs + 3_000;
      state = play(times(7, [higher]), {}, state, nowMs);
      for (nowMs = leftAt; state.out; nowMs += 500) state = play([[]], { holds: false }, state, nowMs);
      outMs.push(nowMs - 500 - leftAt);
      state = play([[]], { holds: false }, state, nowMs);
    }
    expect(outMs).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    const later = play(times(7, [higher]), {}, state, 10_000_000);
    expect(later.exits).toBe(1);
  });
});

test('property: of two nodes exactly one outranks the other', () => {
  const node = fc.record({
    priority: fc.integer({ min: 1, max: 254 }),
    host: fc.integer({ min: 1, max: 250 }),
  });
  fc.assert(
    fc.property(node, node, (a, b) => {
      fc.pre(a.host !== b.host);
      const [here, there] = [a, b].map(({ priority, host }) => ({ priority, address: `10.0.0.${host}` }));
      if (here === undefined || there === undefined) throw new Error('two');
      const first = outranks(there, { priority: here.priority, sourceAddress: here.address });
      expect(outranks(here, { priority: there.priority, sourceAddress: there.address })).toBe(!first);
    }),
  );
});
