import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiServer, sameServers } from '../../../../src/engine/kube/api-server.ts';
import { markApplied, settle, settleDecision, startSettling } from '../../../../src/engine/monitor/settle.ts';

const list = (...names: string[]): readonly ApiServer[] =>
  names.map((name) => ({ name, address: '10.0.0.1', port: 6443 }));
const a = list('a');
const b = list('a', 'b');
const settleMs = 500;
const longestMs = 2_000;
const rules = { same: sameServers, quietMs: settleMs, longestMs };
const start = (applied?: readonly ApiServer[]) => startSettling<readonly ApiServer[]>(rules, applied);

test('a change is settled after exactly settleMs without another one', () => {
  const state = settle(start(a), b, 1_000);
  expect(settleDecision(state, 1_000)).toEqual({ kind: 'wait', recheckInMs: 500 });
  expect(settleDecision(state, 1_499)).toEqual({ kind: 'wait', recheckInMs: 1 });
  expect(settleDecision(state, 1_500)).toEqual({ kind: 'settled', value: b });
});

test('observing the pending value again does not restart the wait', () => {
  const state = settle(settle(start(a), b, 1_000), [...b], 1_400);
  expect(settleDecision(state, 1_500).kind).toBe('settled');
});

test('a change back to the applied value is cancelled', () => {
  const state = settle(settle(start(a), b, 1_000), a, 1_100);
  expect(settleDecision(state, 9_999)).toEqual({ kind: 'nothing-to-do' });
});

test('the latest value of a flapping list wins and is waited for in full', () => {
  const state = [b, list('c'), b].reduce(
    (s, servers, index) => settle(s, servers, 1_000 + index * 400),
    start(a),
  );
  expect(settleDecision(state, 2_000)).toEqual({ kind: 'wait', recheckInMs: 300 });
  expect(settleDecision(state, 2_300)).toEqual({ kind: 'settled', value: b });
});

test('an applied value is done, and a newer change stays pending', () => {
  const state = settle(start(), a, 0);
  expect(settleDecision(markApplied(state, a), 9_999)).toEqual({ kind: 'nothing-to-do' });
  const newer = markApplied(settle(state, b, 1_000), a);
  expect(settleDecision(newer, 1_500)).toEqual({ kind: 'settled', value: b });
});

test('a value that keeps changing is settled after the longest wait, then waits again', () => {
  const seen = [0, 400, 800, 1_200, 1_600].reduce(
    (state, atMs) => settle(state, list(`at-${atMs}`), atMs),
    start(a),
  );
  expect(settleDecision(seen, 1_999)).toEqual({ kind: 'wait', recheckInMs: 1 });
  expect(settleDecision(seen, 2_000)).toEqual({ kind: 'settled', value: list('at-1600') });
  const applied = markApplied(settle(seen, b, 2_005), list('at-1600'));
  expect(settleDecision(applied, 2_010)).toEqual({ kind: 'wait', recheckInMs: 495 });
});

test('a change after a value that was held back is waited for like any other', () => {
  const held = settle(start(a), b, 0);
  expect(settleDecision(held, 9_000).kind).toBe('settled');
  expect(settleDecision(settle(held, list('c'), 9_000), 9_001)).toEqual({ kind: 'wait', recheckInMs: 499 });
});

test("settling uses the caller's equality", () => {
  const lengths = startSettling<string>(
    { ...rules, same: (one, other) => one.length === other.length },
    'ab',
  );
  expect(settle(lengths, 'cd', 0).pending).toBeUndefined();
  expect(settleDecision(settle(lengths, 'abc', 0), 500)).toEqual({ kind: 'settled', value: 'abc' });
});

test('a clock that jumps back extends the wait by at most settleMs', () => {
  const state = settle(start(a), b, 1_000_000);
  expect(settleDecision(state, 0)).toEqual({ kind: 'wait', recheckInMs: settleMs });
});

test('property: a settled value was stable or waited the longest time, and recheckInMs is exact', () => {
  const step = fc.record({ servers: fc.constantFrom(a, b, list('c'), list()), afterMs: fc.nat(900) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), (steps) => {
      let state = start(a);
      let nowMs = 0;
      let latest = { servers: a, sinceMs: Number.NEGATIVE_INFINITY };
      let quietAtMs = 0;
      for (const { servers, afterMs } of steps) {
        nowMs += afterMs;
        if (nowMs - latest.sinceMs >= settleMs || latest.servers === a) quietAtMs = nowMs;
        if (!sameServers(latest.servers, servers)) latest = { servers, sinceMs: nowMs };
        state = settle(state, servers, nowMs);
      }
      const decision = settleDecision(state, nowMs);
      if (decision.kind === 'nothing-to-do') expect(latest.servers).toBe(a);
      if (decision.kind === 'settled') {
        const isQuiet = nowMs - latest.sinceMs >= settleMs;
        expect(isQuiet || nowMs - quietAtMs >= longestMs).toBe(true);
      }
      if (decision.kind === 'wait')
        expect(settleDecision(state, nowMs + decision.recheckInMs)).toEqual({
          kind: 'settled',
          value: latest.servers,
        });
    }),
  );
});
