import { expect, test } from 'vitest';
import { createLeftOutRoutes } from '../../../../src/router/live/left-out-routes.ts';
import { decided, routeObject, sliceObject, verdicts } from '../objects-of.ts';

const [good, bad] = [
  routeObject({ name: 'good', host: 'a.test' }),
  routeObject({ name: 'bad', host: 'b.test' }),
];

test('a route that HAProxy refused is rejected with its words until the route, or its pods, change', () => {
  const routes = createLeftOutRoutes();
  const before = decided([good, bad]);
  expect(routes.servable(before).leftOut).toEqual([]);
  routes.leaveOut(before.model.backends, new Map([['shop:bad', 'unknown keyword']]));

  const { decision, leftOut } = routes.servable(decided([good, bad]));
  expect(verdicts(decision)).toEqual(['shop:bad ConfigurationRefused', 'shop:good admitted']);
  expect(decision.model.backends.map(({ key }) => key)).toEqual(['shop:good']);
  expect(leftOut.map(({ message }) => message)).toEqual([
    'HAProxy refuses a configuration with this route: unknown keyword',
  ]);

  const after = routes.servable(decided([good, bad, sliceObject('web', 1)]));
  expect(verdicts(after.decision)).toEqual(['shop:bad admitted', 'shop:good admitted']);
});

test('a route that was refused, went and came back is tried again', () => {
  const routes = createLeftOutRoutes();
  const before = decided([bad]);
  routes.leaveOut(before.model.backends, new Map([['shop:bad', '']]));
  routes.servable(decided([]));
  expect(routes.servable(before).leftOut).toEqual([]);
});
