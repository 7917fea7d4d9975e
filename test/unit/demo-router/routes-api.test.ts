import { expect, it } from 'vitest';
import { routesIn } from '../../../scripts/demo-router/routes-api.ts';

it('keeps the whole status of a Route that is put back: a router takes any other for that of a second router', () => {
  const condition = {
    ...{ type: 'Admitted', status: 'False', reason: 'HostAlreadyClaimed' },
    ...{ message: 'shop/plain has it', lastTransitionTime: '2026-01-01T00:00:00Z' },
  };
  const status = { ingress: [{ routerName: 'public', host: 'a.test', conditions: [condition] }] };
  const route = { metadata: { name: 'thief', namespace: 'blog' }, spec: {}, status };
  expect(routesIn(JSON.stringify({ items: [route] }))).toEqual([
    { name: 'thief', namespace: 'blog', kind: 'http', admitted: 'HostAlreadyClaimed', status },
  ]);
});
