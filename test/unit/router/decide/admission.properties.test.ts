import fc from 'fast-check';
import { expect, test } from 'vitest';
import { admitRoutes, createAdmission } from '../../../../src/router/decide/admit-routes.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import type { Route } from '../../../../src/router/follow/route.ts';
import type { Secret } from '../../../../src/router/follow/secret.ts';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { admissionPolicy } from '../../../../src/router/settings/decision-settings.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { type RouteText, routeObject } from '../objects-of.ts';

const policy = { ...admissionPolicy(routerSettings()), allowWildcards: true, deniedDomains: ['denied.test'] };
const pairs = ['one', 'two'].map((name) => {
  const [key = '', certificate = ''] = selfSigned(name, new Date()).split(/(?=-----BEGIN CERTIFICATE)/);
  return { key, certificate };
});
const edge = { termination: 'edge' };

/** Two routes share one name, as an Ingress and a Route may, and two are in another namespace. */
const names = [
  { name: 'a' },
  { name: 'b' },
  { name: 'b' },
  { name: 'c' },
  ...['d', 'e'].map((name) => ({ name, namespace: 'other' })),
];
const ages = [
  { age: 1, uid: 'one' },
  { age: 2, uid: 'two' },
];
const wishes: readonly Omit<RouteText, 'name'>[] = [
  {},
  { annotations: { 'haproxy.router.openshift.io/balance': 'random' } },
  { spec: { path: '/sub' } },
  { host: 'one.app.example.com' },
  { host: 'one.app.example.com', spec: { wildcardPolicy: 'Subdomain' } },
  { host: 'www.denied.test' },
  { host: 'NO NAME' },
  { spec: { path: 'wrong' } },
  { spec: { tls: { termination: 'passthrough' } } },
  { spec: { tls: { termination: 'unknown' } } },
  ...[...pairs, { certificate: 'none', key: 'none' }].map((pair) => ({
    spec: { tls: { ...edge, ...pair } },
  })),
  { spec: { tls: { ...edge, insecureEdgeTerminationPolicy: 'Redirect' } } },
  { spec: { tls: { ...edge, externalCertificate: { name: 'cert' } } } },
];
const read = (object: object) => readObjectList(JSON.stringify([object])).objects;
const variants = names.map((who) =>
  ages.flatMap((age) => wishes.map((wish) => read(routeObject({ ...who, ...age, ...wish })).routes)),
);
const secrets: readonly (readonly Secret[])[] = [undefined, ...pairs].map((pair) =>
  pair === undefined
    ? []
    : read({
        kind: 'Secret',
        metadata: { name: 'cert', namespace: 'shop' },
        type: 'kubernetes.io/tls',
        data: {
          'tls.crt': Buffer.from(pair.certificate).toString('base64'),
          'tls.key': Buffer.from(pair.key).toString('base64'),
        },
      }).secrets,
);

/**
 * Adds, removes or replaces one route at a time, or changes the Secret. A route that returns is last in the list, as in a watch, until
 * all routes are listed again.
 */
const edit = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.nat(names.length - 1), fc.nat(ages.length * wishes.length)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('secret' as const), fc.nat(secrets.length - 1)) },
  { weight: 1, arbitrary: fc.constant(['list', 0] as const) },
);

test('property: incremental admission equals admission from scratch', () => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 40 }), (edits) => {
      const admit = createAdmission(policy);
      let there = new Map<number, readonly Route[]>();
      let kept: readonly Secret[] = [];
      for (const [what, variant] of edits) {
        if (what === 'secret') kept = secrets[variant] ?? [];
        else if (what === 'list') there = new Map([...there].sort(([a], [b]) => a - b));
        else if (variant < ages.length * wishes.length) there.set(what, variants[what]?.[variant] ?? []);
        else there.delete(what);
        const routes = [...there.values()].flat();
        expect(admit(routes, kept)).toEqual(admitRoutes(routes, kept, policy));
      }
    }),
    { numRuns: runs(300) },
  );
});

test('a renewed certificate keeps every other verdict the same object', () => {
  const admit = createAdmission(policy);
  const at = (wish: number) => [
    ...(variants[0]?.[wish] ?? []),
    ...(variants[1]?.[2] ?? []),
    ...(variants[3]?.[2] ?? []),
  ];
  const first = admit(at(10), []);
  const renewed = admit(at(11), []);
  expect(first.admitted.map(({ key }) => key)).toEqual(['shop:a', 'shop:b']);
  expect(renewed.admitted.map((verdict, index) => verdict === first.admitted[index])).toEqual([false, true]);
  expect(renewed.rejected[0]).toBe(first.rejected[0]);
});
