import { expect, onTestFinished, test, vi } from 'vitest';
import { createDecisionReport } from '../../../../src/router/serve/report-decisions.ts';
import { decided, routeObject } from '../objects-of.ts';

const decisionOf = (...names: readonly string[]) =>
  decided(names.map((name, age) => routeObject({ name, host: `${name}.test`, age })));

/** A decision report, and the routes that it reported as admitted. */
function telling() {
  const admitted = new Set<string>();
  const teller = createDecisionReport([
    {
      onDecision: ({ admission }, unproven) => {
        for (const { key } of admission.admitted) if (!unproven.has(key)) admitted.add(key);
      },
    },
  ]);
  return { teller, admitted: () => [...admitted].sort() };
}

const shown = (decision: ReturnType<typeof decided>) => ({ decision, leftOut: [] });

test('a new route is reported as admitted once HAProxy has accepted it, and not earlier', () => {
  const { teller, admitted } = telling();
  const decision = decisionOf('a', 'b');
  teller.decided(shown(decision));
  expect(admitted()).toEqual([]);
  teller.accepted(decision);
  expect(admitted()).toEqual(['shop:a', 'shop:b']);
  teller.decided(shown(decisionOf('a', 'b', 'bad')));
  expect(admitted()).toEqual(['shop:a', 'shop:b']);
});

test('only the newest of several decisions is reported, and soon', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: number[] = [];
  const teller = createDecisionReport([
    { onDecision: ({ admission }) => told.push(admission.admitted.length) },
  ]);
  teller.decided(shown(decisionOf('a')));
  teller.decided(shown(decisionOf('a', 'b')));
  expect(told).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(told).toEqual([2]);
  teller.reportNow();
  expect(told).toEqual([2]);
});

test('a route that was absent must be accepted again', () => {
  const told: (readonly string[])[] = [];
  const again = createDecisionReport([{ onDecision: (_decision, unproven) => told.push([...unproven]) }]);
  const decide = (name: string) => {
    again.decided(shown(decisionOf(name)));
    again.reportNow();
  };
  decide('a');
  again.accepted(decisionOf('a'));
  decide('b');
  again.accepted(decisionOf('b'));
  decide('a');
  expect(told).toEqual([['shop:a'], [], ['shop:b'], [], ['shop:a']]);
});

test('a recreated route must be accepted again', () => {
  const routeOf = (uid: string) => decided([routeObject({ name: 'a', uid })]);
  const unproven: (readonly string[])[] = [];
  const again = createDecisionReport([{ onDecision: (_decision, keys) => unproven.push([...keys]) }]);
  again.decided(shown(routeOf('first')));
  again.reportNow();
  again.accepted(routeOf('first'));
  again.decided(shown(routeOf('second')));
  again.reportNow();
  // HAProxy accepts the first decision late, which does not cover the second.
  again.accepted(routeOf('first'));
  again.accepted(routeOf('second'));
  expect(unproven).toEqual([['shop:a'], [], ['shop:a'], ['shop:a'], []]);
});
