import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUsedObjects } from '../../../../src/router/decide/used-objects.ts';
import { readIngress } from '../../../../src/router/follow/ingress.ts';
import { bareRoute, type Route } from '../../../../src/router/follow/route.ts';

function route(name: string, services: readonly string[], secret?: string): Route {
  return bareRoute(
    { namespace: 'shop', name, uid: name, createdMs: 0 },
    {
      services: services.map((each) => ({ name: each, weight: 1 })),
      ...(secret !== undefined && {
        tls: {
          termination: 'edge',
          insecurePolicy: '',
          certificate: '',
          key: '',
          caCertificate: '',
          destinationCaCertificate: '',
          secret,
        },
      }),
    },
  );
}

const none = { routes: [], served: [], ingresses: [], namespaces: [] };

test('a Service is used while any Route in its namespace refers to it', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
  const lists = fc.array(fc.array(names, { maxLength: 5 }), { maxLength: 8 });
  fc.assert(
    fc.property(lists, (states) => {
      const usedIn = createUsedObjects({});
      for (const state of states) {
        const used = usedIn({ ...none, routes: state.map((each, index) => route(`r${index}`, each)) });
        for (const name of ['a', 'b', 'c'])
          expect(used.hasService('shop', name)).toBe(state.flat().some((each) => each === name));
        expect(used.hasService('other', 'a')).toBe(false);
      }
    }),
  );
});

test('the Service of a version that is still served is used', () => {
  const used = createUsedObjects({})({
    ...none,
    routes: [route('a', ['new'])],
    served: [route('a', ['old'])],
  });
  expect([used.hasService('shop', 'old'), used.hasService('shop', 'new')]).toEqual([true, true]);
});

test('a Secret is used if a Route refers to it', () => {
  const used = createUsedObjects({})({ ...none, routes: [route('a', [], 'tls')] });
  expect([used.hasSecret('shop', 'tls'), used.hasSecret('shop', 'other')]).toEqual([true, false]);
});

test('Services and Secrets of an Ingress are used if its class matches', () => {
  const ingress = readIngress({
    metadata: { name: 'a', namespace: 'shop', uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ingressClassName: 'open',
      tls: [{ hosts: ['a.test'], secretName: 'tls' }],
      rules: [
        {
          host: 'a.test',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  });
  const ingresses = ingress.kind === 'read' ? [ingress.value] : [];
  const uses = (ingressClass: string) => {
    const used = createUsedObjects({ ingressClass })({ ...none, ingresses });
    return [used.hasService('shop', 'web'), used.hasSecret('shop', 'tls')];
  };
  expect([uses('open'), uses('other')]).toEqual([
    [true, true],
    [false, false],
  ]);
});

test('nothing in a namespace outside the shard is used', () => {
  const used = createUsedObjects({ namespace: 'else' })({ ...none, routes: [route('a', ['web'])] });
  expect(used.hasService('shop', 'web')).toBe(false);
});
