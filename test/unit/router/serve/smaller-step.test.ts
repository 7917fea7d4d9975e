import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { smallerStep } from '../../../../src/router/serve/smaller-step.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';

function route(namespace: string, hosts: readonly number[], weight = 1): RouteBackend {
  const servers = hosts.map((host) => ({
    ...{ name: `pod-${host}`, address: `10.0.0.${host}`, port: 8080, weight, h2c: false },
  }));
  return routeBackend({ key: `${namespace}:web`, host: `${namespace}.test`, servers });
}

const namesIn = (routes: readonly RouteBackend[] | undefined, index: number) =>
  routes?.[index]?.servers.map(({ name }) => name);

test('a tenant whose servers all change does not delay the one changed server of another', () => {
  const served = [route('evil', [1, 2, 3, 4]), route('shop', [1])];
  const wanted = [route('evil', [5, 6, 7, 8]), route('shop', [2])];
  const step = smallerStep(served, wanted, 4);
  expect(namesIn(step, 1)).toEqual(['pod-2']);
  expect(namesIn(step, 0)).toEqual(['pod-1', 'pod-2', 'pod-3', 'pod-4', 'pod-5', 'pod-6']);
});

test('few changes of servers, or a route that is new or changed otherwise, are no smaller step', () => {
  const served = [route('a', [1, 2, 3])];
  expect(smallerStep(served, [route('a', [4])], 4)).toBeUndefined();
  expect(smallerStep(served, [route('a', [4]), route('b', [])], 1)).toBeUndefined();
  expect(smallerStep(served, [{ ...route('a', [4]), balance: 'source' }], 1)).toBeUndefined();
});

test('step after step leads to the wanted servers, and no backend that keeps servers is empty in between', () => {
  const hosts = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  const world = fc.record({
    one: hosts,
    two: hosts,
    one2: hosts,
    two2: hosts,
    weight: fc.constantFrom(1, 2),
  });
  fc.assert(
    fc.property(world, fc.integer({ min: 1, max: 3 }), ({ one, two, one2, two2, weight }, most) => {
      let served: readonly RouteBackend[] = [route('a', one), route('b', two)];
      const wanted = [route('a', one2, weight), route('b', two2)];
      for (let steps = 0; steps <= 36; steps += 1) {
        const step = smallerStep(served, wanted, most);
        if (step === undefined) return;
        expect(step.every(({ servers }) => servers.length > 0)).toBe(true);
        served = step;
      }
      expect.unreachable();
    }),
  );
});
