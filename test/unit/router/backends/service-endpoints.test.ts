import { expect, test } from 'vitest';
import { createServiceEndpoints } from '../../../../src/router/backends/service-endpoints.ts';
import { readObjectList } from '../../../../src/router/objects/read-object-list.ts';
import { decided, routeObject, sliceObject } from '../objects-of.ts';

/** Slices of one service, each with a pod of its own. */
const [a, b, c] = [1, 2, 3].map(
  (subnet) => readObjectList(JSON.stringify([sliceObject('web', 1, subnet)])).objects.endpoints,
);

test.each([
  ['one of two slices gives way to a new one', [a, b], [b, c], ['10.2.0.1', '10.3.0.1']],
  ['two slices change places', [a, b], [b, a], ['10.1.0.1', '10.2.0.1']],
  ['a slice is replaced', [a, b], [a, c], ['10.1.0.1', '10.3.0.1']],
])('a service has the endpoints of all of its slices after %s', (_what, before, after, addresses) => {
  const endpoints = createServiceEndpoints();
  const ask = (lists: typeof before) =>
    endpoints(
      lists.flatMap((list) => list ?? []),
      [],
    ).find('shop:web');
  expect(ask(before).endpoints).toHaveLength(2);
  expect(
    ask(after)
      .endpoints.map(({ address }) => address)
      .sort(),
  ).toEqual(addresses);
});

test('names of hosts are no endpoints, and a remark of the route says so', () => {
  const names = {
    ...sliceObject('web', 0),
    metadata: { ...sliceObject('web', 0).metadata, name: 'web-names' },
    addressType: 'FQDN',
    // A name, and what could be taken for an address.
    endpoints: [{ addresses: ['db.example.com'] }, { addresses: ['10.9.0.1'] }],
  };
  const serversAndRemarks = (...slices: readonly object[]) => {
    const [backend] = decided([routeObject({ name: 'a' }), ...slices]).model.backends;
    return [backend?.servers.map(({ address }) => address), backend?.remarks];
  };
  const remark =
    'endpoints of service web are not used: names of hosts, which the router does not look up, expected addresses';
  expect(serversAndRemarks(names)).toEqual([[], [remark, 'service web has no ready endpoints']]);
  expect(serversAndRemarks(names, sliceObject('web', 1, 4))).toEqual([['10.4.0.1'], [remark]]);
});
