import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecider, decide } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import type { RouterObjects } from '../../../../src/router/follow/router-objects.ts';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import type { RouterRendering } from '../../../../src/router/render/render-router.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { createRouterRenderer, renderRouter } from '../../../helpers/router/render-router.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';
import { routeObject, sliceObject } from '../objects-of.ts';

const settings = { ...routerSettings(), ingressClass: 'hawser' };
const fallback = selfSigned('default', new Date());
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
const ingress = (port: number, spec: object = {}) => ({
  kind: 'Ingress',
  metadata: { name: 'in', namespace: 'shop', uid: 'in', creationTimestamp: '2026-01-01T00:00:02Z' },
  spec: {
    ingressClassName: 'hawser',
    ...spec,
    rules: ['app', 'in'].map((host) => ({
      host: `${host}.example.com`,
      http: {
        paths: [
          { path: '/in', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: port } } } },
        ],
      },
    })),
  },
});
const service = (port: number, name = 'web') => ({
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { clusterIP: '172.30.0.9', ports: [{ name: '', port }] },
});

/** All variants of each object. Each is parsed once, so that an unchanged object is the same instance. */
const variants: readonly (readonly RouterObjects[])[] = [
  ...['a', 'b', 'c', 'd'].map((name, age) =>
    specs.map((spec) => routeObject({ name, age, host: age < 2 ? 'app.example.com' : `${name}.test`, spec })),
  ),
  ...['web', 'api'].map((service) => [1, 2, 3].map((pods) => sliceObject(service, pods))),
  [secret('cert', pairs[0]), secret('cert', pairs[1]), secret('cert', undefined)],
  [ingress(80), ingress(81), ingress(80, { tls: [{ secretName: 'cert' }] })],
  [service(80), service(81)],
  [service(80, 'other'), service(81, 'other')],
].map((list) => list.map((object) => readObjectList(JSON.stringify([object])).objects));

const step = fc.array(fc.nat({ max: specs.length }), {
  minLength: variants.length,
  maxLength: variants.length,
});

function objectsAt(step: readonly number[]): RouterObjects {
  return mergedObjects(variants.flatMap((list, index) => list[step[index] ?? 0] ?? []));
}

function mergedObjects(there: readonly RouterObjects[]): RouterObjects {
  return {
    routes: there.flatMap(({ routes }) => routes),
    ingresses: there.flatMap(({ ingresses }) => ingresses),
    endpoints: there.flatMap(({ endpoints }) => endpoints),
    services: there.flatMap(({ services }) => services),
    namespaces: [],
    secrets: there.flatMap(({ secrets }) => secrets),
  };
}

const webSlices = [1, 2, 3, 4].map(
  (subnet) => readObjectList(JSON.stringify([sliceObject('web', 1, subnet)])).objects.endpoints,
);
/** Some slices of one service, in any order. A recreated one comes last. */
const withSlices = fc.array(fc.tuple(step, fc.shuffledSubarray(webSlices, { minLength: 1 })), {
  minLength: 2,
  maxLength: 8,
});

test('property: incremental decisions and texts equal those made from scratch', () => {
  const check = fc.property(withSlices, (all) =>
    expectAsAtOnce(
      all.map(([there, slices]) => {
        const { endpoints, ...others } = objectsAt(there);
        return { ...others, endpoints: [...endpoints, ...slices.flat()] };
      }),
    ),
  );
  fc.assert(check, { numRuns: runs(100) });
});

/** Adds, removes or changes one object after another. */
const oneByOne = fc.array(fc.tuple(fc.nat({ max: variants.length - 1 }), fc.nat({ max: specs.length })), {
  minLength: 2,
  maxLength: 12,
});

test('property: the same holds if one object changes at a time', () => {
  const check = fc.property(step, oneByOne, (first, changes) => {
    const steps = [first];
    for (const [index, variant] of changes) steps.push((steps.at(-1) ?? first).with(index, variant));
    expectAsAtOnce(steps.map(objectsAt));
  });
  fc.assert(check, { numRuns: runs(60) });
});

function expectAsAtOnce(states: readonly RouterObjects[]): void {
  const next = createDecider(settings);
  const render = createRouterRenderer(settings);
  for (const objects of states) {
    const decision = next(objects);
    const fresh = decide(objects, settings);
    expect(decision).toEqual(fresh);
    expect(filesOf(render(routerTemplate, decision.model, fallback))).toEqual(
      filesOf(renderRouter(routerTemplate, settings, fresh.model, fallback)),
    );
  }
}

/** Namespaces whose names are prefixes of each other, with services of the same names. */
const inNamespaces = ['shop', 'shop-a', 'pay']
  .flatMap((namespace) => {
    const put = (object: { readonly metadata: object }) => ({
      ...object,
      metadata: { ...object.metadata, namespace },
    });
    const idled = { annotations: { 'idling.alpha.openshift.io/idled-at': '2026-01-01' } };
    const web = service(80);
    const both = { to: { name: 'api' }, alternateBackends: [{ kind: 'Service', name: 'web', weight: 50 }] };
    return [
      ...['a', 'b', 'c'].map((name) =>
        [{}, { to: { name: 'api' } }, both, { tls: { ...edge, ...pairs[0] } }].map((spec) =>
          routeObject({ name, namespace, host: `${name}.${namespace}.test`, spec }),
        ),
      ),
      ...['web', 'api'].flatMap((name) =>
        [1, 2].map((subnet) => [1, 2].map((pods) => put(sliceObject(name, pods, subnet)))),
      ),
      [put(web), put({ ...web, metadata: { ...web.metadata, ...idled } })],
    ];
  })
  .map((list) => list.map((object) => readObjectList(JSON.stringify([object])).objects));

/** Adds, removes or changes some objects, and lists their kinds in other orders. */
const history = fc.array(
  fc.tuple(
    fc.array(fc.tuple(fc.nat({ max: inNamespaces.length - 1 }), fc.nat({ max: 4 })), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.nat({ max: inNamespaces.length - 1 }),
  ),
  { minLength: 2, maxLength: 25 },
);

test('property: incremental decisions in several namespaces equal those made from scratch', () => {
  const check = fc.property(history, (steps) => {
    const next = createDecider(settings);
    const there = new Map(inNamespaces.map((variants, index) => [index, variants[0]]));
    for (const [changes, first] of steps) {
      for (const [index, variant] of changes) there.set(index, inNamespaces[index]?.[variant]);
      const found = [...there.values()].flatMap((each) => each ?? []);
      const objects = mergedObjects([...found.slice(first), ...found.slice(0, first)]);
      expect(next(objects)).toEqual(decide(objects, settings));
    }
  });
  fc.assert(check, { numRuns: runs(60) });
});

function filesOf(outcome: RouterRendering) {
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  const { text, mode, others } = outcome.rendered;
  return { text, mode, others, leftOut: outcome.leftOut };
}

test('a backend is the same object while its inputs are unchanged', () => {
  const next = createDecider(settings);
  const first = next(objectsAt([0, 1, 2, 0, 1, 1, 0, 0, 0, 0])).model.backends;
  const pods = next(objectsAt([0, 1, 2, 0, 1, 2, 0, 0, 0, 0])).model.backends;
  expect(pods).toEqual(first);
  expect(pods.every((backend, index) => backend === first[index])).toBe(true);
  const fewer = next(objectsAt([0, 1, 2, 0, 0, 2, 0, 0, 0, 0])).model.backends;
  expect(fewer.every((backend, index) => backend !== first[index])).toBe(true);
});

test('backends of an Ingress are the same objects while it and its Services are unchanged', () => {
  const none = specs.length;
  const at = (...last: readonly number[]) => objectsAt([none, none, none, none, 0, none, 0, ...last]);
  const next = createDecider(settings);
  const first = next(at(2, 0, 0)).model.backends;
  expect(first.map(({ kind }) => kind)).toEqual(['edge', 'edge']);
  const isKept = (objects: RouterObjects) =>
    next(objects).model.backends.map((backend, index) => backend === first[index]);
  expect(isKept(at(2, 0, 1))).toEqual([true, true]);
  expect(isKept({ ...at(2, 0, 1), services: [] })).toEqual([false, false]);
});
