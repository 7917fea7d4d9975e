import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CheckSample,
  explainFlap,
  type FlapState,
  initialFlap,
  flapLimits as limits,
  nextFlap,
} from '../../../../src/vip/health/flap-governor.ts';

const ok: CheckSample = { kind: 'ok' };
const slow: CheckSample = { kind: 'failed', certain: false };
const gone: CheckSample = { kind: 'failed', certain: true };

type Step = readonly [atMs: number, sample: CheckSample];
const stateAfter = (steps: readonly Step[], holder = false, from: FlapState = initialFlap) =>
  steps.reduce((state, [atMs, sample]) => nextFlap(state, sample, holder, atMs), from);

test('the first answer counts at once', () => {
  expect(initialFlap.verdict).toBe('unknown');
  expect(stateAfter([[0, ok]]).verdict).toBe('ok');
  expect(stateAfter([[0, gone]]).verdict).toBe('failed');
});

test('a load balancer that starts after its monitor does not count as flapping', () => {
  const started = stateAfter([
    [0, gone],
    [500, ok],
  ]);
  expect(started).toMatchObject({ verdict: 'ok', falls: 0 });
});

test('a certain failure counts at once, even for the holder', () => {
  const steps: readonly Step[] = [
    [0, ok],
    [200, gone],
  ];
  expect(stateAfter(steps, true).verdict).toBe('failed');
});

test('a slow answer makes a candidate fall at once, but the holder only at the second in a row', () => {
  const once: readonly Step[] = [
    [0, ok],
    [200, slow],
  ];
  expect(stateAfter(once, false).verdict).toBe('failed');
  expect(stateAfter(once, true).verdict).toBe('ok');
  expect(stateAfter([...once, [400, slow]], true).verdict).toBe('failed');
  expect(stateAfter([...once, [400, ok], [600, slow]], true).verdict).toBe('ok');
});

test('a recovered node is doubtful at first, and for longer after each failure', () => {
  let state = stateAfter([[0, ok]]);
  let now = 0;
  const holds: number[] = [];
  for (let fall = 0; fall < 9; fall += 1) {
    state = nextFlap(state, gone, false, now);
    const backMs = now;
    do {
      state = nextFlap(state, ok, false, now);
      now += 200;
    } while (state.verdict === 'doubtful');
    holds.push(now - 200 - backMs);
  }
  expect(holds).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('a failure while doubtful restarts the wait, even for the holder', () => {
  const steps: readonly Step[] = [
    [0, ok],
    [100, gone],
    [200, ok],
    [1_100, slow],
    [1_200, ok],
    [2_300, ok],
  ];
  expect(stateAfter(steps, true).verdict).toBe('doubtful');
});

test('falls are cleared only after a long uninterrupted period of ok', () => {
  const back = stateAfter([
    [0, ok],
    [100, gone],
    [200, ok],
    [1_200, ok],
  ]);
  expect(back).toMatchObject({ verdict: 'ok', falls: 1 });
  expect(stateAfter([[1_200 + limits.forgetAfterMs - 1, gone]], false, back).falls).toBe(2);
  expect(stateAfter([[1_200 + limits.forgetAfterMs, gone]], false, back).falls).toBe(1);
});

describe('the explanation', () => {
  test('of a doubtful node contains the number of failures and the time left', () => {
    const doubtful = stateAfter([
      [0, ok],
      [100, gone],
      [200, ok],
      [300, gone],
      [400, ok],
    ]);
    expect(explainFlap(doubtful, 900)).toMatch(/failed 2 times, .* after 2 s without another/);
  });

  test('of a holder that has not fallen yet contains the failures in a row', () => {
    const holding = stateAfter(
      [
        [0, ok],
        [100, slow],
      ],
      true,
    );
    expect(explainFlap(holding, 100)).toMatch(/1 failed in a row/);
  });

  test('is absent if the verdict matches the last sample', () => {
    expect(explainFlap(stateAfter([[0, ok]]), 0)).toBeUndefined();
    expect(explainFlap(stateAfter([[0, gone]]), 0)).toBeUndefined();
  });
});

describe('property', () => {
  const step = fc.record({
    sample: fc.constantFrom(ok, ok, slow, gone),
    holder: fc.boolean(),
    afterMs: fc.nat(3_000),
  });

  test('a node with a certain failure, or two in a row, is not trusted', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let state = initialFlap;
        let now = 0;
        let row = 0;
        for (const { sample, holder, afterMs } of steps) {
          now += afterMs;
          state = nextFlap(state, sample, holder, now);
          row = sample.kind === 'ok' ? 0 : row + 1;
          if (row >= 2 || (sample.kind === 'failed' && sample.certain)) expect(state.verdict).toBe('failed');
          if (sample.kind === 'ok') expect(state.verdict).not.toBe('failed');
        }
      }),
    );
  });

  test('a flapping node is trusted again only a limited number of times', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 400 }), (steps) => {
        let state = nextFlap(initialFlap, ok, false, 0);
        let now = 0;
        let returns = 0;
        for (const { sample, holder, afterMs } of steps) {
          now += afterMs;
          const before = state.verdict;
          state = nextFlap(state, sample, holder, now);
          if (before !== 'ok' && state.verdict === 'ok') returns += 1;
        }
        const paid = Array.from({ length: returns }, (_, n) =>
          Math.min(limits.longestHoldMs, limits.firstHoldMs * 2 ** n),
        ).reduce((sum, each) => sum + each, 0);
        const forgiven = Math.floor(now / limits.forgetAfterMs);
        if (forgiven === 0) expect(paid).toBeLessThanOrEqual(now);
      }),
    );
  });
});
