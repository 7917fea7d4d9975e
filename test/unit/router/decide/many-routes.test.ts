import { expect, test } from 'vitest';
import { admitRoutes } from '../../../../src/router/decide/admit-routes.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import { admissionPolicy } from '../../../../src/router/settings/decision-settings.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { routeObject } from '../objects-of.ts';

test('ten thousand routes of one host in a hundred namespaces can be decided', () => {
  const objects = Array.from({ length: 10_000 }, (_, age) => {
    const spec = { wildcardPolicy: age % 3 === 0 ? 'Subdomain' : 'None', path: `/${age}` };
    return routeObject({ name: `r${age}`, namespace: `n${age % 100}`, age, spec });
  });
  const { routes } = readObjectList(JSON.stringify(objects)).objects;
  const { admitted, rejected } = admitRoutes(routes, [], {
    ...admissionPolicy(routerSettings()),
    allowWildcards: true,
  });
  expect(admitted.every(({ route }) => route.namespace === 'n0')).toBe(true);
  expect(admitted.length).toBe(100);
  expect(rejected.length).toBe(9_900);
});
