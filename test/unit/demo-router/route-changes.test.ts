import { expect, it } from 'vitest';
import { routeChanges } from '../../../scripts/demo-router/lens.ts';
import type { KnownRoute } from '../../../scripts/demo-router/routes-api.ts';

const route: KnownRoute = {
  ...{ name: 'edge', namespace: 'shop', kind: 'edge', admitted: 'yes', status: {} },
};

it('tells who is admitted, who is rejected and why, and who is gone', () => {
  const refused = { ...route, admitted: 'ConfigurationRefused' };
  expect(routeChanges([], [route])).toEqual(['router: shop/edge is admitted']);
  expect(routeChanges([route], [refused])).toEqual(['router: shop/edge is rejected: ConfigurationRefused']);
  expect(routeChanges([refused], [])).toEqual(['API: shop/edge is gone']);
});

it('says nothing of what is as before, or not decided yet', () => {
  expect(routeChanges([route], [route])).toEqual([]);
  expect(routeChanges([], [{ ...route, admitted: undefined }])).toEqual([]);
});
