import { expect, test } from 'vitest';
import { createLeftOutRoutes } from '../../../../src/router/serve/left-out-routes.ts';
import { decided, routeObject, sliceObject, verdicts } from '../objects-of.ts';

const [good, bad] = [
  routeObject({ name: 'good', host: 'a.test' }),
  routeObject({ name: 'bad', host: 'b.test' }),
];
const changed = routeObject({
  ...{ name: 'bad', host: 'b.test' },
  annotations: { 'haproxy.router.openshift.io/timeout': '3s' },
});

function leftOut(words: string) {
  const clock = { nowMs: 0 };
  const routes = createLeftOutRoutes(() => clock.nowMs);
  const before = decided([good, bad]);
  expect(routes.servable(before).leftOut).toEqual([]);
  routes.add(before.model.backends, new Map([['shop:bad', words]]));
  const due = () => routes.due().map(({ key }) => key);
  return { clock, routes, due, before };
}

test('a route that HAProxy refused is rejected with its words, however it changes, until HAProxy takes it', () => {
  const { routes } = leftOut('unknown keyword');
  for (const object of [bad, changed]) {
    const { decision, leftOut: found } = routes.servable(decided([good, object, sliceObject('web', 1)]));
    expect(verdicts(decision)).toEqual(['shop:bad ConfigurationRefused', 'shop:good admitted']);
    expect(decision.model.backends.map(({ key }) => key)).toEqual(['shop:good']);
    expect(found.map(({ message }) => message)).toEqual([
      'HAProxy refuses a configuration with this route: unknown keyword',
    ]);
  }
  const next = decided([good, changed]);
  routes.remove(next.model.backends);
  expect(verdicts(routes.servable(next).decision)).toEqual(['shop:bad admitted', 'shop:good admitted']);
});

test('a changed route is tried after half a second, an unchanged one or one with new pods after a minute', () => {
  const { clock, routes, due } = leftOut('unknown keyword');
  clock.nowMs = 59_999;
  routes.servable(decided([good, bad, sliceObject('web', 1)]));
  expect(due()).toEqual([]);
  routes.servable(decided([good, changed]));
  expect(due()).toEqual(['shop:bad']);
  clock.nowMs = 499;
  expect(due()).toEqual([]);
  clock.nowMs = 60_000;
  routes.servable(decided([good, bad]));
  expect(due()).toEqual(['shop:bad']);
});

test('pods count if the error is about a server, and a route refused again waits longer', () => {
  const { clock, routes, due, before } = leftOut("'server pod:1' : no");
  const podsChanged = decided([good, bad, sliceObject('web', 1)]);
  routes.servable(podsChanged);
  clock.nowMs = 500;
  expect(due()).toEqual(['shop:bad']);
  routes.add(podsChanged.model.backends, new Map([['shop:bad', 'server']]));
  routes.servable(before);
  clock.nowMs = 1_400;
  expect(due()).toEqual([]);
  clock.nowMs = 1_500;
  expect(due()).toEqual(['shop:bad']);
});

test('a route that is only suspected is tried at once', () => {
  const { routes, due, before } = leftOut('');
  routes.add(before.model.backends, new Map([['shop:good', undefined]]));
  routes.servable(before);
  expect(due()).toEqual(['shop:good']);
});

test('a route that was refused, went and came back is tried again', () => {
  const { routes, before } = leftOut('');
  routes.servable(decided([good]));
  expect(routes.servable(before).leftOut).toEqual([]);
});
