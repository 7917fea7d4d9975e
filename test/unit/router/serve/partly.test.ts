import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rendered } from '../../../../src/engine/apply/file-set.ts';
import type { BackendServer, RouteBackend } from '../../../../src/router/model.ts';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { createRouterRenderer, renderRouter } from '../../../../src/router/render/render-router.ts';
import { partly } from '../../../../src/router/serve/partly.ts';
import { compareSets, routerDifference } from '../../../../src/router/serve/set-difference.ts';
import { routeSets } from '../../../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';
import { backendOf } from '../backend-of.ts';

const certificate = selfSigned('default', new Date());
/** A template that prints its backends in a loop of its own gives no pieces. */
const whole = routerTemplate.text.replace(/<%# each backend -%>\n(.*)$/s, (_, block: string) =>
  ['<%_ for (const backend of backends) { _%>\n', block, '<%_ } _%>\n'].join(''),
);

function pods(...numbers: readonly number[]): readonly BackendServer[] {
  return numbers.map((number) => ({
    ...{ name: `pod-${number}`, address: `10.0.0.${number}`, port: 8080, weight: 1 },
    ...{ h2c: false, checkIntervalMs: 5_000 },
    ...(numbers.length === 1 && ({ isAlone: true } as const)),
  }));
}

/** Changes to a route: the first are runtime updates, the others need a reload, and `null` removes it. */
const told = {
  moves: (route: RouteBackend) => ({ ...route, servers: pods(7) }),
  grows: (route: RouteBackend) => ({ ...route, servers: pods(1, 2, 3) }),
  goes: (route: RouteBackend) => ({ ...route, servers: [] }),
  weighs: (route: RouteBackend) => ({
    ...route,
    servers: pods(1, 2).map((each) => ({ ...each, weight: 100 })),
  }),
  renews: (route: RouteBackend) =>
    route.certificate === undefined
      ? { ...route, servers: pods(9) }
      : { ...route, certificate: { ...route.certificate, pem: 'renewed' } },
};
const held = {
  balances: (route: RouteBackend) => ({ ...route, balance: 'source' as const, servers: pods(8) }),
  limits: (route: RouteBackend) => ({
    ...route,
    servers: pods(1, 2).map((each) => ({ ...each, maxConnections: 5 })),
  }),
  redirects: (route: RouteBackend) => ({ ...route, path: `${route.path}/other` }),
  drops: () => null,
};
const changes = { ...told, ...held, stays: (route: RouteBackend) => route };
type Change = keyof typeof changes;
const isTold = (change: Change): boolean => change in told;

const worlds = fc.record({
  routes: routeSets,
  changes: fc.array(fc.constantFrom(...(Object.keys(changes) as Change[])), {
    minLength: 14,
    maxLength: 14,
  }),
  news: fc.boolean(),
  template: fc.constantFrom(routerTemplate.text, whole),
  lookup: fc.constantFrom('hash', 'regex'),
});

test('a partial update contains every runtime-updatable change and nothing that needs a reload', () => {
  fc.assert(
    fc.property(worlds, ({ routes, changes: picked, news, template: text, lookup }) => {
      const settings = routerSettings({ HAWSER_LOOKUP: lookup });
      expect(settings.lookup).toBe(lookup);
      const [template, render] = [{ ...routerTemplate, text }, createRouterRenderer(settings)];
      const difference = routerDifference(settings);
      const made = (backends: readonly RouteBackend[]) => ({
        backends,
        rendered: renderedBy(render(template, { backends }, certificate)),
      });
      const before = routes.map((route) => ({
        ...route,
        servers: pods(1, 2),
        ...(route.kind === 'edge' && { certificate: { pem: route.key, http2: true } }),
      }));
      const after = before
        .flatMap((route, index) => changes[picked[index] ?? 'stays'](route) ?? [])
        .concat(news ? [backendOf({ key: 'ns:zz', host: 'new.test', servers: pods(1) })] : []);
      const [served, wanted] = [made(before), made(after)];

      const backends = partly(served, wanted);
      const expected = before.map((route, index) =>
        isTold(picked[index] ?? 'stays') ? after.find(({ key }) => key === route.key) : route,
      );
      expect(backends ?? before).toEqual(expected);
      if (backends === undefined) return;
      const mixture = made(backends);
      expect(difference(served.rendered, mixture.rendered).kind).toBe('runtime');
      const rest = difference(served.rendered, wanted.rendered);
      if (rest.kind === 'reload') expect(difference(mixture.rendered, wanted.rendered)).toEqual(rest);
      expect(partly(mixture, wanted)).toBeUndefined();
      const { running } = compareSets(settings)(served.rendered, wanted.rendered);
      if (rest.kind === 'reload') expect(running.text).toBe(mixture.rendered.text);
      // Every replica ends with the same bytes, whatever it served in between.
      const fresh = renderedBy(renderRouter(template, settings, { backends: after }, certificate));
      expect(made(after).rendered).toEqual(fresh);
    }),
    { numRuns: 150 },
  );
});

test('a certificate for which HTTP/2 is offered no more waits, and keeps no pods of others back', () => {
  const render = createRouterRenderer(routerSettings());
  const made = (backends: readonly RouteBackend[]) => ({
    backends,
    rendered: renderedBy(render(routerTemplate, { backends }, certificate)),
  });
  const route = (name: string, host: string, path: string, pem: string, pod: number) =>
    backendOf({
      key: `ns:${name}`,
      kind: 'edge',
      host,
      path,
      certificate: { pem, http2: true },
      servers: pods(pod),
    });
  // Browsers would join connections of whatever has the default certificate in it.
  const chain = `renewed\n${certificate.slice(certificate.indexOf('-----BEGIN CERTIFICATE'))}`;
  const world = (pem: string, pod: number) => [
    route('a', 'one.test', '', pem, 1),
    route('b', 'one.test', '/sub', 'other', 1),
    route('c', 'two.test', '', 'third', pod),
  ];
  const news = backendOf({ key: 'ns:zz', host: 'new.test', servers: pods(1) });
  const [served, wanted] = [made(world('first', 1)), made([...world(chain, 2), news])];
  const backends = partly(served, wanted);
  expect(backends).toEqual(world('first', 2));
  const part = made(backends ?? []);
  expect(routerDifference(routerSettings())(served.rendered, part.rendered).kind).toBe('runtime');
});

test('a certificate that another route has until the reload waits for it, since browsers would join connections to both', () => {
  const render = createRouterRenderer(routerSettings());
  const made = (backends: readonly RouteBackend[]) => ({
    backends,
    rendered: renderedBy(render(routerTemplate, { backends }, certificate)),
  });
  const route = (name: string, pem: string) =>
    backendOf({ key: `ns:${name}`, kind: 'edge', host: `${name}.test`, certificate: { pem, http2: true } });
  const served = made([route('a', 'first'), route('b', 'second')]);
  expect(partly(served, made([route('a', 'second')]))).toBeUndefined();
  const renewed = [route('a', 'third'), route('b', 'second')];
  expect(partly(served, made(renewed.slice(0, 1)))).toEqual(renewed);
});

test('a default certificate that is renewed while new routes wait is a part of its own', () => {
  const render = createRouterRenderer(routerSettings());
  const made = (backends: readonly RouteBackend[], pem: string) => ({
    backends,
    rendered: renderedBy(render(routerTemplate, { backends }, pem)),
  });
  const renewed = selfSigned('default', new Date());
  const old = backendOf({ key: 'ns:a', host: 'a.test', servers: pods(1) });
  const news = backendOf({ key: 'ns:b', host: 'b.test', servers: pods(1) });
  const [served, wanted] = [made([old], certificate), made([old, news], renewed)];
  expect(partly(served, wanted)).toEqual([old]);
  const part = made([old], renewed);
  expect(routerDifference(routerSettings())(served.rendered, part.rendered).kind).toBe('runtime');
  expect(partly(part, wanted)).toBeUndefined();
});

function renderedBy(outcome: ReturnType<typeof renderRouter>): Rendered {
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.rendered;
}
