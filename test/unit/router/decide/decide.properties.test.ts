import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selfSigned } from '../../../../src/router/configuration/self-signed.ts';
import { createDecider, decide } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/objects/read-object-list.ts';
import type { RouterObjects } from '../../../../src/router/objects/router-objects.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { routeObject, sliceObject } from '../objects-of.ts';

const settings = routerSettings();
const pairs = ['one', 'two'].map((name) => {
  const [key = '', certificate = ''] = selfSigned(name, new Date()).split(/(?=-----BEGIN CERTIFICATE)/);
  return { key, certificate };
});
const secret = (name: string, pair: { readonly key: string; readonly certificate: string } | undefined) => ({
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  type: 'kubernetes.io/tls',
  data: {
    'tls.crt': Buffer.from(pair?.certificate ?? '').toString('base64'),
    'tls.key': Buffer.from(pair?.key ?? '').toString('base64'),
  },
});

const edge = { termination: 'edge' };
const specs = [
  {},
  { path: '/sub' },
  { host: 'other.example.com' },
  { to: { name: 'api' }, alternateBackends: [{ kind: 'Service', name: 'web', weight: 50 }] },
  ...pairs.map((pair) => ({ tls: { ...edge, ...pair } })),
  { tls: { ...edge, externalCertificate: { name: 'cert' } } },
  { tls: { ...edge, certificate: 'none', key: 'none' } },
];
/** What there may be of each object: each is read once, so that it is the same one whenever it is there. */
const variants: readonly (readonly RouterObjects[])[] = [
  ...['a', 'b', 'c', 'd'].map((name, age) =>
    specs.map((spec) => routeObject({ name, age, host: age < 2 ? 'app.example.com' : `${name}.test`, spec })),
  ),
  ...['web', 'api'].map((service) => [1, 2, 3].map((pods) => sliceObject(service, pods))),
  [secret('cert', pairs[0]), secret('cert', pairs[1]), secret('cert', undefined)],
].map((list) => list.map((object) => readObjectList(JSON.stringify([object])).objects));

const steps = fc.array(
  fc.array(fc.nat({ max: specs.length }), { minLength: variants.length, maxLength: variants.length }),
  { minLength: 2, maxLength: 8 },
);

function objectsAt(step: readonly number[]): RouterObjects {
  const there = variants.flatMap((list, index) => list[step[index] ?? 0] ?? []);
  return {
    routes: there.flatMap(({ routes }) => routes),
    ingresses: [],
    endpoints: there.flatMap(({ endpoints }) => endpoints),
    services: there.flatMap(({ services }) => services),
    namespaces: [],
    secrets: there.flatMap(({ secrets }) => secrets),
  };
}

test('what is decided after other objects is what is decided at once', () => {
  fc.assert(
    fc.property(steps, (each) => {
      const next = createDecider(settings);
      for (const step of each) expect(next(objectsAt(step))).toEqual(decide(objectsAt(step), settings));
    }),
    { numRuns: 300 },
  );
});

test('a backend is the same object while nothing that it is made of has changed', () => {
  const next = createDecider(settings);
  const first = next(objectsAt([0, 1, 2, 0, 1, 1, 0])).model.backends;
  const pods = next(objectsAt([0, 1, 2, 0, 1, 2, 0])).model.backends;
  expect(pods).toEqual(first);
  expect(pods.every((backend, index) => backend === first[index])).toBe(true);
  const fewer = next(objectsAt([0, 1, 2, 0, 0, 2, 0])).model.backends;
  expect(fewer.every((backend, index) => backend !== first[index])).toBe(true);
});
