import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiServer, sameServers } from '../../../../src/engine/kube/api-server.ts';
import {
  markApplied,
  settle,
  settleDecision,
  startSettling,
} from '../../../../src/engine/reconcile/settle.ts';

const list = (...names: string[]): readonly ApiServer[] =>
  names.map((name) => ({ name, address: '10.0.0.1', port: 6443 }));
const a = list('a');
const b = list('a', 'b');
const settleMs = 500;

test('a change is applied once it was stable for settleMs, not a millisecond earlier', () => {
  const state = settle(startSettling(a), b, 1_000);
  expect(settleDecision(state, settleMs, 1_000)).toEqual({ kind: 'wait', lookAgainInMs: 500 });
  expect(settleDecision(state, settleMs, 1_499)).toEqual({ kind: 'wait', lookAgainInMs: 1 });
  expect(settleDecision(state, settleMs, 1_500)).toEqual({ kind: 'settled', servers: b });
});

test('seeing the same change again does not start its time over', () => {
  const state = settle(settle(startSettling(a), b, 1_000), [...b], 1_400);
  expect(settleDecision(state, settleMs, 1_500).kind).toBe('settled');
});

test('a change back to what is applied cancels', () => {
  const state = settle(settle(startSettling(a), b, 1_000), a, 1_100);
  expect(settleDecision(state, settleMs, 9_999)).toEqual({ kind: 'nothing-to-do' });
});

test('of a flapping list the latest wins, and its own time counts', () => {
  const state = [b, list('c'), b].reduce(
    (s, servers, index) => settle(s, servers, 1_000 + index * 400),
    startSettling(a),
  );
  expect(settleDecision(state, settleMs, 2_000)).toEqual({ kind: 'wait', lookAgainInMs: 300 });
  expect(settleDecision(state, settleMs, 2_300)).toEqual({ kind: 'settled', servers: b });
});

test('what was applied is done, but a change that came meanwhile stays', () => {
  const state = settle(startSettling(), a, 0);
  expect(settleDecision(markApplied(state, a), settleMs, 9_999)).toEqual({ kind: 'nothing-to-do' });
  const newer = markApplied(settle(state, b, 1_000), a);
  expect(settleDecision(newer, settleMs, 1_500)).toEqual({ kind: 'settled', servers: b });
});

test('a clock that goes back makes the wait at most settleMs longer', () => {
  const state = settle(startSettling(a), b, 1_000_000);
  expect(settleDecision(state, settleMs, 0)).toEqual({ kind: 'wait', lookAgainInMs: settleMs });
});

test('property: whatever is settled was the latest for settleMs, and looking again when told finds it', () => {
  const step = fc.record({ servers: fc.constantFrom(a, b, list('c'), list()), afterMs: fc.nat(900) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), (steps) => {
      let state = startSettling(a);
      let nowMs = 0;
      let latest = { servers: a, sinceMs: Number.NEGATIVE_INFINITY };
      for (const { servers, afterMs } of steps) {
        nowMs += afterMs;
        if (!sameServers(latest.servers, servers)) latest = { servers, sinceMs: nowMs };
        state = settle(state, servers, nowMs);
      }
      const decision = settleDecision(state, settleMs, nowMs);
      if (decision.kind === 'nothing-to-do') expect(latest.servers).toBe(a);
      if (decision.kind === 'settled') expect(nowMs - latest.sinceMs).toBeGreaterThanOrEqual(settleMs);
      if (decision.kind === 'wait')
        expect(settleDecision(state, settleMs, nowMs + decision.lookAgainInMs)).toEqual({
          kind: 'settled',
          servers: latest.servers,
        });
    }),
  );
});
