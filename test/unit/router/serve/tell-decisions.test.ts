import { expect, onTestFinished, test, vi } from 'vitest';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { createTeller } from '../../../../src/router/serve/tell-decisions.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { decided, routeObject } from '../objects-of.ts';

const decisionOf = (...names: readonly string[]) =>
  decided(names.map((name, age) => routeObject({ name, host: `${name}.test`, age })));

/** A teller, of which HAProxy refuses routes whose names begin with `bad`, and everything that it has called admitted. */
function telling() {
  const admitted = new Set<string>();
  const tried: (readonly string[])[] = [];
  let leftOut = 0;
  const isBad = ({ key }: RouteBackend) => key.startsWith('shop:bad');
  const teller = createTeller(
    [
      {
        onDecision: ({ admission }, _leftOut, unproven) => {
          for (const { key } of admission.admitted) if (!unproven.has(key)) admitted.add(key);
        },
      },
    ],
    {
      tryAlone: async (backends) => {
        tried.push(backends.map(({ key }) => key));
        return { taken: backends.filter((each) => !isBad(each)), isAnyLeftOut: backends.some(isBad) };
      },
    },
    () => {
      leftOut += 1;
    },
  );
  return { teller, tried, admitted: () => [...admitted].sort(), leftOut: () => leftOut };
}

const shown = (decision: ReturnType<typeof decided>) => ({ decision, leftOut: [] });

test('a new route is called admitted once HAProxy has taken it, and not before', () => {
  const { teller, admitted } = telling();
  const decision = decisionOf('a', 'b');
  teller.decided(shown(decision));
  expect(admitted()).toEqual([]);
  teller.taken(decision);
  expect(admitted()).toEqual(['shop:a', 'shop:b']);
  teller.decided(shown(decisionOf('a', 'b', 'bad')));
  expect(admitted()).toEqual(['shop:a', 'shop:b']);
});

test('a decision is reported soon, and of several only the newest', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: number[] = [];
  const teller = createTeller(
    [{ onDecision: ({ admission }) => told.push(admission.admitted.length) }],
    { tryAlone: async () => ({ taken: [], isAnyLeftOut: false }) },
    () => undefined,
  );
  teller.decided(shown(decisionOf('a')));
  teller.decided(shown(decisionOf('a', 'b')));
  expect(told).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(told).toEqual([2]);
  teller.tellNow();
  expect(told).toEqual([2]);
  teller.decided(shown(decisionOf('a')));
  teller.held(true);
  expect(told).toEqual([2, 1]);
});

test('a route that was gone has to be accepted again', () => {
  const told: (readonly string[])[] = [];
  const again = createTeller(
    [{ onDecision: (_decision, _leftOut, unproven) => told.push([...unproven]) }],
    { tryAlone: async () => ({ taken: [], isAnyLeftOut: false }) },
    () => undefined,
  );
  const decide = (name: string) => {
    again.decided(shown(decisionOf(name)));
    again.tellNow();
  };
  decide('a');
  again.taken(decisionOf('a'));
  decide('b');
  decide('a');
  expect(told).toEqual([['shop:a'], [], ['shop:b'], ['shop:a']]);
});

test('a route that was deleted and recreated has to be accepted again', () => {
  const routeOf = (uid: string) => decided([routeObject({ name: 'a', uid })]);
  const unproven: (readonly string[])[] = [];
  const again = createTeller(
    [{ onDecision: (_decision, _leftOut, keys) => unproven.push([...keys]) }],
    { tryAlone: async () => ({ taken: [], isAnyLeftOut: false }) },
    () => undefined,
  );
  again.decided(shown(routeOf('first')));
  again.tellNow();
  again.taken(routeOf('first'));
  again.decided(shown(routeOf('second')));
  again.tellNow();
  // HAProxy takes the first one late: that says nothing of the second.
  again.taken(routeOf('first'));
  again.taken(routeOf('second'));
  expect(unproven).toEqual([['shop:a'], [], ['shop:a'], ['shop:a'], []]);
});

test('while a reload is held back new routes are tried by themselves, and only those', async () => {
  const { teller, tried, admitted, leftOut } = telling();
  const stop = new AbortController();
  const trying = teller.tryHeld(stop.signal);
  const served = decisionOf('a');
  teller.decided(shown(served));
  teller.taken(served);
  teller.decided(shown(decisionOf('a', 'b', 'bad')));
  teller.held(true);
  await waitFor('the trial', () => leftOut() > 0);
  expect(tried[0]).toEqual(['shop:b', 'shop:bad']);
  expect(admitted()).toEqual(['shop:a', 'shop:b']);
  stop.abort();
  await trying;
});
