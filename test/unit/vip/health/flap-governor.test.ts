import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  explainFlap,
  type FlapState,
  initialFlap,
  flapLimits as limits,
  nextFlap,
} from '../../../../src/vip/health/flap-governor.ts';

type Step = readonly [atMs: number, isOk: boolean];
const ok = true;
const gone = false;
const stateAfter = (steps: readonly Step[], from: FlapState = initialFlap) =>
  steps.reduce((state, [atMs, isOk]) => nextFlap(state, isOk, atMs), from);

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

test('a failure counts at once', () => {
  const steps: readonly Step[] = [
    [0, ok],
    [200, gone],
  ];
  expect(stateAfter(steps).verdict).toBe('failed');
});

test('a recovered node is doubtful at first, and for longer after each failure', () => {
  let state = stateAfter([[0, ok]]);
  let now = 0;
  const holds: number[] = [];
  for (let fall = 0; fall < 9; fall += 1) {
    state = nextFlap(state, gone, now);
    const backMs = now;
    do {
      state = nextFlap(state, ok, now);
      now += 200;
    } while (state.verdict === 'doubtful');
    holds.push(now - 200 - backMs);
  }
  expect(holds).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('a failure while doubtful restarts the wait', () => {
  const steps: readonly Step[] = [
    [0, ok],
    [100, gone],
    [200, ok],
    [1_100, gone],
    [1_200, ok],
    [2_300, ok],
  ];
  expect(stateAfter(steps).verdict).toBe('doubtful');
});

test('falls are cleared only after a long uninterrupted period of ok', () => {
  const back = stateAfter([
    [0, ok],
    [100, gone],
    [200, ok],
    [1_200, ok],
  ]);
  expect(back).toMatchObject({ verdict: 'ok', falls: 1 });
  expect(stateAfter([[1_200 + limits.forgetAfterMs - 1, gone]], back).falls).toBe(2);
  expect(stateAfter([[1_200 + limits.forgetAfterMs, gone]], back).falls).toBe(1);
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

  test('is absent if the verdict matches the last sample', () => {
    expect(explainFlap(stateAfter([[0, ok]]), 0)).toBeUndefined();
    expect(explainFlap(stateAfter([[0, gone]]), 0)).toBeUndefined();
  });
});

describe('property', () => {
  const step = fc.record({
    isOk: fc.constantFrom(ok, gone),
    afterMs: fc.nat(3_000),
  });

  test('a node is not trusted after a failure', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let state = initialFlap;
        let now = 0;
        for (const { isOk, afterMs } of steps) {
          now += afterMs;
          state = nextFlap(state, isOk, now);
          if (isOk) expect(state.verdict).not.toBe('failed');
          else expect(state.verdict).toBe('failed');
        }
      }),
    );
  });

  test('a flapping node is trusted again only a limited number of times', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 400 }), (steps) => {
        let state = nextFlap(initialFlap, ok, 0);
        let now = 0;
        let returns = 0;
        for (const { isOk, afterMs } of steps) {
          now += afterMs;
          const before = state.verdict;
          state = nextFlap(state, isOk, now);
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
