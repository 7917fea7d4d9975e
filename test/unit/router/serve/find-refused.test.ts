import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { findRefused, type Trial } from '../../../../src/router/serve/find-refused.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';

const route = (key: string) => routeBackend({ key, host: 'a.test' });

/** HAProxy refuses a set of routes if `problemIn` returns an error for their keys. */
function trialOf(problemIn: (keys: readonly string[]) => string | undefined) {
  const counts = { checks: 0 };
  return {
    counts,
    template: () => undefined,
    validate: async (backends: readonly RouteBackend[]): ReturnType<Trial['validate']> => {
      counts.checks += 1;
      const problem = problemIn(backends.map(({ key }) => key));
      if (problem === undefined) return { outcome: { kind: 'valid' }, text: '' };
      const detail = `[ALERT] (1) : config : ${problem}`;
      return { outcome: { kind: 'invalid', message: '', detail }, text: '' };
    },
  };
}

const never = new AbortController().signal;
const search = async (keys: readonly string[], trial: ReturnType<typeof trialOf>, most = 10_000) =>
  new Map(await findRefused([route('base:a')], keys.map(route), trial, most, never));

test('each refused route is found, one of N within 2 log2 N validations', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 5 }),
      async (count, places) => {
        const keys = Array.from({ length: count }, (_, index) => `n${index % 7}:r${index}`);
        const bad = new Set(places.map((place) => keys[place % count] ?? ''));
        const trial = trialOf((some) => some.find((key) => bad.has(key)));
        const words = await search(keys, trial);
        expect([...words.keys()].sort()).toEqual([...bad].sort());
        for (const [key, said] of words) expect(said).toBe(key);
        // Plus one validation of all routes and one of the base. The halves of seven namespaces are uneven.
        expect(trial.counts.checks).toBeLessThanOrEqual(2 + 2 * bad.size * (count.toString(2).length + 2));
      },
    ),
    { numRuns: 30 },
  );
});

test('of two conflicting routes, the later one is refused', async () => {
  const trial = trialOf((keys) => (keys.includes('n:a') && keys.includes('n:c') ? 'x' : undefined));
  expect([...(await search(['n:a', 'n:b', 'n:c'], trial))]).toEqual([['n:c', 'x']]);
});

test('routes without a verdict within the limit have no error', async () => {
  const keys = Array.from({ length: 32 }, (_, index) => `n:r${index}`);
  const words = await search(
    keys,
    trialOf((some) => some.find((key) => key !== 'base:a' && key !== 'n:r31')),
    6,
  );
  expect([words.size, [...words.values()].filter((said) => said === undefined).length]).toEqual([32, 31]);
});

test('a whole namespace is accepted before the routes of a refused one are separated', async () => {
  const order: (readonly string[])[] = [];
  const keys = [...Array.from({ length: 9 }, (_, index) => `bad:r${index}`), 'fine:a', 'fine:b'];
  const trial = trialOf((some) => some.find((key) => key.startsWith('bad')));
  await findRefused([], keys.map(route), trial, 5, never, (routes) =>
    order.push(routes.map(({ key }) => key)),
  );
  expect(order).toEqual([['fine:a', 'fine:b']]);
});

test('no route is blamed if HAProxy refuses the base or one of its routes', async () => {
  for (const problem of ['out of memory', "backend 'be_http:base:a' : no"])
    expect(
      await findRefused(
        [route('base:a')],
        [route('n:b')],
        trialOf(() => problem),
        9,
        never,
      ),
    ).toBe(undefined);
});
