import { expect, test } from 'vitest';
import { decide } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import type { Route } from '../../../../src/router/follow/route.ts';
import { admissionPolicy } from '../../../../src/router/settings/decision-settings.ts';
import { createDesiredRouteStatuses } from '../../../../src/router/status/route-status.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { routeObject, sliceObject, verdicts } from '../objects-of.ts';

const { objects } = readObjectList(
  JSON.stringify([
    routeObject({ name: 'good', host: 'good.example.com' }),
    routeObject({ name: 'odd', host: 'odd.example.com' }),
    sliceObject('web', 2),
  ]),
);

/** Throws whenever `field` of the odd object is read. */
function without<T extends { readonly name: string }>(field: keyof T & string): (object: T) => T {
  const get = () => {
    throw new Error(`no ${field}`);
  };
  return (object) => (object.name === 'odd' ? Object.defineProperty({ ...object }, field, { get }) : object);
}

/** Throws whenever the router reads `field` of the odd route. */
const decidedWithout = (field: keyof Route, settings = {}) =>
  decide({ ...objects, routes: objects.routes.map(without<Route>(field)) }, routerSettings(settings));

test.each(['host', 'tls', 'services', 'annotations'] as const)(
  "an exception when a route's %s is read rejects only that route",
  (field) => {
    const decision = decidedWithout(field);
    expect(verdicts(decision)).toEqual(['shop:good admitted', 'shop:odd InternalError']);
    expect(decision.model.backends.map(({ key }) => key)).toEqual(['shop:good']);
    expect(decision.admission.rejected[0]?.message).toBe(`the router failed on this route: no ${field}`);
  },
);

test('the status of a route with an unreadable host has the reason', () => {
  const wishes = createDesiredRouteStatuses(admissionPolicy(routerSettings()));
  const wanted = wishes(decidedWithout('host'));
  expect([...wanted.keys()].sort()).toEqual(['shop:good', 'shop:odd']);
  expect(wanted.get('shop:odd')?.entry).toMatchObject({ host: '', refusal: { reason: 'InternalError' } });
});

test('an exception while a route is matched against the shard rejects only that route', () => {
  const decision = decidedWithout('services', { ROUTE_FIELDS: 'metadata.namespace=shop' });
  expect(verdicts(decision)).toEqual(['shop:good admitted', 'shop:odd InternalError']);
  expect(decision.outside).toEqual([]);
});

test.each(['paths', 'tls', 'annotations', 'hasDefaultBackend'] as const)(
  "an exception when an Ingress's %s is read rejects only that Ingress",
  (field) => {
    const ingress = {
      kind: 'Ingress',
      metadata: { name: 'odd', namespace: 'shop' },
      spec: {
        ingressClassName: 'hawser',
        rules: [{ host: 'odd.test', http: { paths: [{ path: '/', pathType: 'Prefix', backend: {} }] } }],
      },
    };
    const { ingresses } = readObjectList(JSON.stringify([ingress])).objects;
    const odd = { ...objects, ingresses: ingresses.map(without(field)) };
    const decision = decide(odd, { ...routerSettings(), ingressClass: 'hawser' });
    const [rejected] = decision.admission.rejected;
    expect(decision.admission.admitted.map(({ key }) => key)).toEqual(['shop:good', 'shop:odd']);
    expect(rejected).toMatchObject({ reason: 'InternalError', route: { ingress: 'odd' } });
    expect(rejected?.message).toBe(`the router failed on this route: no ${field}`);
  },
);
