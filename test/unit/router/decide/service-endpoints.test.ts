import { describe, expect, test } from 'vitest';
import { createServiceEndpoints } from '../../../../src/router/decide/service-endpoints.ts';
import { readEndpointSlice } from '../../../../src/router/follow/endpoints.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import { decided, routeObject, sliceObject } from '../objects-of.ts';

/** Slices of one service, each with its own pod. */
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
    ).find('shop:web', undefined);
  expect(ask(before).endpoints).toHaveLength(2);
  expect(
    ask(after)
      .endpoints.map(({ address }) => address)
      .sort(),
  ).toEqual(addresses);
});

test('an address is checked once, whatever the number of ports that routes name', () => {
  let checks = 0;
  const address = {
    get address() {
      checks += 1;
      return '127.0.0.1';
    },
  };
  const ports = ['a', 'b'].map((name, index) => ({ name, port: 8_080 + index, h2c: false }));
  const slice = { from: 'EndpointSlice', namespace: 'shop', service: 'web' } as const;
  const endpoints = createServiceEndpoints();
  const { find } = endpoints([{ ...slice, subsets: [{ ports, addresses: [address] }] }], []);
  const refused = ['an endpoint of service web is not used: a loopback address'];
  for (const port of ['a', 'b', '8080', 'other', undefined])
    expect(find('shop:web', port).refused).toEqual(refused);
  expect(checks).toBe(1);
});

test('host names are not used as endpoints, and the route has a remark', () => {
  const names = {
    ...sliceObject('web', 0),
    metadata: { ...sliceObject('web', 0).metadata, name: 'web-names' },
    addressType: 'FQDN',
    // A host name, and one that looks like an address.
    endpoints: [{ addresses: ['db.example.com'] }, { addresses: ['10.9.0.1'] }],
  };
  const serversAndRemarks = (...slices: readonly object[]) => {
    const [backend] = decided([routeObject({ name: 'a' }), ...slices]).model.backends;
    return [backend?.servers.map(({ address }) => address), backend?.remarks];
  };
  const remark =
    'endpoints of service web are not used: the router does not resolve host names, expected IP addresses';
  expect(serversAndRemarks(names)).toEqual([[], [remark, 'service web has no ready endpoints']]);
  expect(serversAndRemarks(names, sliceObject('web', 1, 4))).toEqual([['10.4.0.1'], [remark]]);
});

describe('a service with more addresses and ports than a router can use', () => {
  /** A slice with 1,000 endpoints, in an object of less than 600 kB. */
  const wide = (ports: number, subnet = 0) => ({
    ...sliceObject('web', 0),
    metadata: { ...sliceObject('web', 0).metadata, name: `web-${subnet}` },
    endpoints: Array.from({ length: 1_000 }, (_, index) => ({
      addresses: [`10.${subnet}.${index >> 8}.${index & 255}`],
    })),
    ports: Array.from({ length: ports }, (_, index) => ({ name: `p${index}`, port: index + 1 })),
  });
  const remark =
    'service web has too many endpoints and some are not used, expected at most 5000 pairs of address and port';

  test('has 5,000 servers, and a remark about the others', () => {
    const [backend] = decided([routeObject({ name: 'a' }), wide(20_000)]).model.backends;
    expect(backend?.servers).toHaveLength(5_000);
    expect(backend?.remarks).toEqual([remark]);
  });

  test('has the same servers for every order of its slices', () => {
    const serversOf = (...slices: readonly object[]) =>
      decided([routeObject({ name: 'a' }), ...slices]).model.backends[0]?.servers.map(({ name }) => name);
    const one = wide(4, 1);
    const two = wide(4, 2);
    expect(serversOf(one, two)).toEqual(serversOf(two, one));
    expect(serversOf(one, two)).toHaveLength(5_000);
  });

  test('has all pods of the single port that a route requests', () => {
    const spec = { port: { targetPort: 'p4000' } };
    const [backend] = decided([routeObject({ name: 'a', spec }), wide(4_500)]).model.backends;
    expect(backend?.servers).toHaveLength(1_000);
    expect(backend?.remarks).toEqual([]);
  });

  test('has no address checked that it cannot use', () => {
    let checks = 0;
    const endpoint = {
      get address() {
        checks += 1;
        return '10.0.0.1';
      },
    };
    const ports = [{ name: 'http', port: 80, h2c: false }];
    const subsets = Array.from({ length: 20 }, () => ({ ports, addresses: Array(1_000).fill(endpoint) }));
    const slice = { from: 'EndpointSlice', namespace: 'shop', service: 'web', subsets } as const;
    expect(createServiceEndpoints()([slice], []).find('shop:web', undefined).refused).toEqual([remark]);
    // Each subset is sorted by its first address.
    expect(checks).toBe(5_000 + subsets.length);
  });

  test('keeps no more endpoints of a slice than a service may have servers', () => {
    const read = readEndpointSlice(wide(20_000));
    const [subset] = read.kind === 'read' ? read.value.subsets : [];
    expect(subset?.ports).toHaveLength(5_000);
  });
});
