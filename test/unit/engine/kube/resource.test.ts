import { expect, test } from 'vitest';
import { pathOf, queryPath } from '../../../../src/engine/kube/resource.ts';

const routes = { apiVersion: 'route.openshift.io/v1', plural: 'routes' };

test.each([
  [{ apiVersion: 'v1', plural: 'nodes' }, undefined, '/api/v1/nodes'],
  [{ apiVersion: 'v1', plural: 'nodes' }, 'a b', '/api/v1/nodes/a%20b'],
  [routes, undefined, '/apis/route.openshift.io/v1/routes'],
  [{ ...routes, namespace: 'x/y' }, 'r', '/apis/route.openshift.io/v1/namespaces/x%2Fy/routes/r'],
])('%j %s has the path %s', (kind, name, path) => {
  expect(pathOf(kind, name)).toBe(path);
});

test('a query has the given selectors', () => {
  const resource = { ...routes, what: 'routes', project: () => undefined };
  expect(queryPath(resource, { limit: '5' })).toBe(`${pathOf(routes)}?limit=5`);
  const selected = { ...resource, labelSelector: 'shard=a', fieldSelector: 'spec.host=b' };
  expect(queryPath(selected, { limit: '5' })).toBe(
    `${pathOf(routes)}?labelSelector=shard%3Da&fieldSelector=spec.host%3Db&limit=5`,
  );
});
