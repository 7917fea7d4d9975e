import { expect, test } from 'vitest';
import { decide } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/objects/read-object-list.ts';
import type { Route } from '../../../../src/router/objects/route.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { routeObject, sliceObject, verdicts } from '../objects-of.ts';

const { objects } = readObjectList(
  JSON.stringify([
    routeObject({ name: 'good', host: 'good.example.com' }),
    routeObject({ name: 'odd', host: 'odd.example.com' }),
    sliceObject('web', 2),
  ]),
);

/** Throws wherever the router reads `field` of the route odd. */
function decidedWithout(field: keyof Route) {
  const routes = objects.routes.map((route) =>
    route.name !== 'odd'
      ? route
      : Object.defineProperty({ ...route }, field, {
          get: () => {
            throw new Error(`no ${field}`);
          },
        }),
  );
  return decide({ ...objects, routes }, routerSettings());
}

test.each(['host', 'tls', 'services', 'annotations'] as const)(
  'an exception over one route, reading its %s, rejects that route and no other',
  (field) => {
    const decision = decidedWithout(field);
    expect(verdicts(decision)).toEqual(['shop:good admitted', 'shop:odd InternalError']);
    expect(decision.model.backends.map(({ key }) => key)).toEqual(['shop:good']);
    expect(decision.admission.rejected[0]?.message).toBe(`the router failed on this route: no ${field}`);
  },
);
