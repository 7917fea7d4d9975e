import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endpointWeights } from '../../../../src/router/decide/backend-servers.ts';
import { decided, routeObject, sliceObject } from '../objects-of.ts';

function weightsOf(
  to: number | undefined,
  other: number | undefined,
  pods: readonly [number, number],
  tls?: object,
): readonly string[] {
  const spec = {
    to: { name: 'web', weight: to },
    ...(other !== undefined && { alternateBackends: [{ name: 'beta', weight: other }] }),
    ...(tls && { tls }),
  };
  const objects = [
    routeObject({ name: 'a', spec }),
    sliceObject('web', pods[0]),
    sliceObject('beta', pods[1], 1),
  ];
  const servers = decided(objects).model.backends[0]?.servers ?? [];
  const seen = servers.map(({ name, weight }) => `${name.split(':')[2]} ${weight}`);
  return [...new Set(seen)].sort();
}

describe('contract 15: the weight of each pod', () => {
  test.each([
    [50, 50, [1, 1], ['beta 256', 'web 256']],
    [50, 50, [1, 2], ['beta 128', 'web 256']],
    [50, 50, [3, 1], ['beta 256', 'web 85']],
    [25, 75, [1, 1], ['beta 256', 'web 85']],
    [25, 75, [1, 3], ['beta 256', 'web 256']],
    [20, 60, [2, 1], ['beta 256', 'web 42']],
    [20, 60, [1, 2], ['beta 256', 'web 170']],
    [1, 256, [3, 1], ['beta 256', 'web 1']],
    [20, 10, [2, 4], ['beta 64', 'web 256']],
    [50, 0, [2, 2], ['beta 0', 'web 1']],
    [0, 0, [1, 1], ['beta 0', 'web 0']],
    [50, 50, [2, 0], ['web 1']],
    [undefined, undefined, [3, 1], ['web 1']],
    [-5, 300, [1, 1], ['beta 1', 'web 0']],
  ] as const)('weights %s and %s with %j pods become %j', (to, other, pods, weights) => {
    expect(weightsOf(to, other, pods)).toEqual(weights);
  });

  test('a passthrough route has no servers with weight 0, because no cookie would keep clients there', () => {
    expect(weightsOf(50, 0, [2, 2], { termination: 'passthrough' })).toEqual(['web 1']);
  });

  test('is between 0 and 256, and 0 only if the service takes no traffic', () => {
    const services = fc.array(fc.tuple(fc.nat(256), fc.nat(1_000)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(services, (list) => {
        const weights = new Map(list.map(([weight], index) => [`${index}`, weight]));
        const count = (name: string) => list[Number(name)]?.[1] ?? 0;
        for (const [name, weight] of endpointWeights(weights, count)) {
          expect(weight === 0).toBe(weights.get(name) === 0);
          expect(weight >= 0 && weight <= 256 && Number.isInteger(weight)).toBe(true);
        }
      }),
    );
  });
});
