import { expect, test } from 'vitest';
import { decided, routeObject, sliceObject } from '../objects-of.ts';

const slice = {
  ...sliceObject('web', 2),
  ports: [
    { name: 'http', port: 8080 },
    { name: 'admin', port: 9000 },
    { name: 'dns', port: 8080, protocol: 'UDP' },
  ],
};

function serversFor(targetPort: string | number | undefined): readonly string[] {
  const port = targetPort === undefined ? {} : { port: { targetPort } };
  const { model } = decided([routeObject({ name: 'a', spec: port }), slice]);
  return model.backends[0]?.servers.map(({ address, port }) => `${address}:${port}`) ?? [];
}

test('contract 10: the number and the name of a port select the same pods', () => {
  expect(serversFor(8080)).toEqual(['10.0.0.1:8080', '10.0.0.2:8080']);
  expect(serversFor('http')).toEqual(serversFor(8080));
  expect(serversFor('8080')).toEqual(serversFor(8080));
  expect(serversFor('admin')).toEqual(['10.0.0.1:9000', '10.0.0.2:9000']);
});

test('contract 10: a port that no pod has selects none, with a remark', () => {
  expect(serversFor('metrics')).toEqual([]);
  const objects = [routeObject({ name: 'a', spec: { port: { targetPort: 'metrics' } } }), slice];
  expect(decided(objects).model.backends[0]?.remarks).toEqual([
    'service web has no endpoint with port metrics',
  ]);
});

test('contract 10: without a port, every TCP port of the pods is used', () => {
  expect(serversFor(undefined)).toHaveLength(4);
});
