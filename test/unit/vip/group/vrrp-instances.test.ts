import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeepalivedSettings, VrrpInput } from '../../../../src/vip/group/vrrp.ts';
import { buildVrrpInstances, isInstanceOf } from '../../../../src/vip/group/vrrp-instances.ts';

const settings: KeepalivedSettings = {
  clusterName: 'managed',
  apiVips: ['10.0.0.5'],
  ingressVips: [],
  nodeName: 'a',
  notifyFifo: '/run/notify.fifo',
  trackFiles: { api: '/run/lb.track', ingress: '/run/ingress.track' },
};
const node = (name: string, ...addresses: readonly string[]) => ({ name, addresses });
const three = [node('a', '10.0.0.1'), node('b', '10.0.0.2'), node('c', '10.0.0.3')];
const input = (part: Partial<KeepalivedSettings> = {}, rest: Partial<VrrpInput> = {}): VrrpInput => ({
  settings: { ...settings, ...part },
  controlPlane: three,
  allNodes: [],
  interfaces: [{ name: 'eth0', addresses: ['10.0.0.1/24'] }],
  routes: [],
  ...rest,
});
const built = (from: VrrpInput) => {
  const found = buildVrrpInstances(from);
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const reasonOf = (from: VrrpInput) => {
  const found = buildVrrpInstances(from);
  return typeof found === 'string' ? found : undefined;
};

test('every node has the same group, with all other nodes as its peers', () => {
  const seen = three.map(({ name, addresses }) =>
    built(input({ nodeName: name }, { interfaces: [{ name: 'eth0', addresses: [`${addresses[0]}/24`] }] })),
  );
  expect(seen.map(([api]) => api?.priority)).toEqual([220, 210, 200]);
  expect(seen.map(([api]) => api?.peers.map(({ name }) => name).join())).toEqual(['b,c', 'a,c', 'a,b']);
  expect(seen.map(([api]) => api?.peers.map(({ priority }) => priority).join())).toEqual([
    '210,200',
    '220,200',
    '220,210',
  ]);
  expect(new Set(seen.map(([api]) => api?.virtualRouterId))).toEqual(new Set([124]));
});

test('property: the model does not depend on the order of the list', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(three, { minLength: 3 }), (controlPlane) => {
      expect(built(input({}, { controlPlane }))).toEqual(built(input()));
    }),
  );
});

describe('this node is identified', () => {
  test('by its address if its name differs', () => {
    expect(built(input({ nodeName: 'a.example.com' }))[0]?.sourceAddress).toBe('10.0.0.1');
  });

  test('by --node-ip before its name', () => {
    const interfaces = [{ name: 'eth0', addresses: ['10.0.0.1/24', '10.0.0.2/24'] }];
    expect(built(input({ nodeIp: '10.0.0.2' }, { interfaces }))[0]?.priority).toBe(210);
  });
});

const many = Array.from({ length: 200 }, (_, n) => node(`0${n}`, `10.0.1.${n + 1}`));

test.each<[string, Partial<KeepalivedSettings>, Partial<VrrpInput>, RegExp]>([
  [
    'that is not in its own list',
    {},
    { controlPlane: three.slice(1) },
    /"a" is not among b \(10\.0\.0\.2\), c \(/,
  ],
  ['with an empty list', {}, { controlPlane: [] }, /is not among no node at all/],
  [
    'whose address in the list is on none of its interfaces',
    {},
    { controlPlane: [node('a', '10.0.0.9'), ...three.slice(1)] },
    /node address 10\.0\.0\.9 is not configured on any interface/,
  ],
  [
    'while a peer has no address of the VIP’s family',
    {},
    { controlPlane: [...three, node('d', 'fd00::4')] },
    /node "d": none of its addresses/,
  ],
  [
    'while two nodes share an address',
    {},
    { controlPlane: [...three, node('d', '10.0.0.3')] },
    /"c" and "d" share/,
  ],
  ['with half of its VIPs', { ingressVips: ['10.0.0.6'] }, {}, /ingress VIP: this node "a" is not among/],
  ['without an interface for a VIP', { apiVips: ['192.168.1.5'] }, {}, /Cannot choose an interface/],
  ['without a VIP', { apiVips: [] }, {}, /there is no VIP/],
  [
    'with two VIPs of one family and kind',
    { apiVips: ['10.0.0.5', '10.0.0.6'] },
    {},
    /one of each family and kind/,
  ],
  [
    'that has no place among the 200 first by name',
    {},
    { controlPlane: [...many, ...three] },
    /is not among .* and 195 more/,
  ],
  [
    'that is not in the list, also as the first node',
    { firstNode: true, nodeName: 'z' },
    { interfaces: [{ name: 'eth0', addresses: ['10.0.0.9/24'] }] },
    /is not among/,
  ],
])('a node does not join %s', (_what, part, rest, reason) => {
  expect(reasonOf(input(part, rest))).toMatch(reason);
});

test('a VIP among the listed addresses of the holder is never used as a peer’s address', () => {
  const listed = [node('a', '10.0.0.1'), node('b', '10.0.0.5', '10.0.0.2')];
  expect(built(input({}, { controlPlane: listed }))[0]?.peers).toMatchObject([
    { name: 'b', address: '10.0.0.2' },
  ]);
});

test('both address families of a kind form a sync group, each with its own addresses', () => {
  const controlPlane = [node('a', '10.0.0.1', 'fd00::1'), node('b', '10.0.0.2', 'fd00::2')];
  const interfaces = [{ name: 'eth0', addresses: ['10.0.0.1/24', 'fd00::1/64'] }];
  const found = built(input({ apiVips: ['fd00::5', '10.0.0.5'] }, { controlPlane, interfaces }));
  expect(found).toMatchObject([
    { name: 'API', sourceAddress: '10.0.0.1', prefixLength: 32, syncGroup: 'API_VIPS' },
    { name: 'API_V6', sourceAddress: 'fd00::1', prefixLength: 128, syncGroup: 'API_VIPS' },
  ]);
});

test('explicit virtual router ids override those derived from the cluster’s name', () => {
  expect(built(input({ virtualRouterIds: { api: 7, ingress: 8 } }))[0]?.virtualRouterId).toBe(7);
});

describe('the first node of a cluster that does not exist yet', () => {
  const nobody = { controlPlane: [] };

  test('has no peers and the priority of a single listed node', () => {
    const [alone] = built(input({ firstNode: true }, nobody));
    expect(alone).toMatchObject({ sourceAddress: '10.0.0.1', peers: [] });
    expect(alone).toEqual(built(input({ firstNode: true }, { controlPlane: three.slice(0, 1) }))[0]);
  });

  test('has the API VIP, but not the ingress VIP until there is a list', () => {
    const vips = { firstNode: true, ingressVips: ['10.0.0.6'] };
    expect(built(input(vips, nobody)).map(({ kind }) => kind)).toEqual(['api']);
    expect(built(input(vips, { allNodes: three })).map(({ kind }) => kind)).toEqual(['api', 'ingress']);
    expect(reasonOf(input({ ...vips, apiVips: [] }, nobody))).toContain('no node');
  });
});

test('the name of an instance identifies the kind of its VIP', () => {
  expect(['API', 'API_V6'].every((name) => isInstanceOf('api', name))).toBe(true);
  expect(['INGRESS', 'INGRESS_V6', 'x_API'].some((name) => isInstanceOf('api', name))).toBe(false);
  expect(isInstanceOf('ingress', 'INGRESS_V6')).toBe(true);
});
