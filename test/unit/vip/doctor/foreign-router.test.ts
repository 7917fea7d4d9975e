import { expect, test } from 'vitest';
import { configuredIds, routerIdsOf } from '../../../../src/vip/doctor/router-ids.ts';
import { judgeForeign } from '../../../../src/vip/doctor/segment-checks.ts';
import { virtualRouterIds } from '../../../../src/vip/group/virtual-router-id.ts';
import type { ForeignAdvert, WatchedRouterId } from '../../../../src/vip/segment/foreign-router.ts';
import { contextOf, type Files, type Settings, temporaryRoot } from '../../../helpers/doctor/scene.ts';

const VIP = '10.77.0.100';
const CONFIG = `vrrp_instance API {
  interface eth1
  virtual_router_id 77
  virtual_ipaddress {
    ${VIP}/32
  }
}
vrrp_instance INGRESS_V6 {
  interface eth0
  virtual_router_id 78
  virtual_ipaddress {
    FD77::0100/128
  }
}
`;
const configured = { '/etc/hawser-keepalived/keepalived.conf': CONFIG };
const kubeconfig = (server: string): string => `apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: '${server}' } }]
contexts: [{ name: c, context: { cluster: c, user: c } }]
users: [{ name: c, user: { token: secret } }]
`;

/** Looks on a node whose only interface is eth0. */
async function look(files: Files, settings: Settings) {
  const context = contextOf(temporaryRoot(files), settings, new AbortController().signal);
  const interfaces = () => [{ name: 'eth0', addresses: ['fd77::b/64', '10.77.0.11/24'] }];
  return await routerIdsOf({
    ...context,
    readings: { ...context.readings, interfaces, routes: async () => [] },
  });
}

async function idFor(files: Files, settings: Settings): Promise<number | string | undefined> {
  const [first] = await look(files, { apiVips: [VIP], ...settings });
  return first?.kind === 'known' ? first.watched.virtualRouterId : first?.message;
}

test('the ids come from the settings, else from keepalived.conf, else from the name that hawser would use', async () => {
  expect(await idFor(configured, { virtualRouterIds: { api: 91, ingress: 92 }, clusterName: 'bed' })).toBe(
    91,
  );
  expect(await idFor(configured, { clusterName: 'bed' })).toBe(virtualRouterIds('bed').api);
  expect(await idFor(configured, {})).toBe(77);
  const named = { '/kubeconfig': kubeconfig('https://api-int.bed.example:6443') };
  expect(await idFor(named, { kubeconfig: '/kubeconfig' })).toBe(virtualRouterIds('bed').api);
  expect(await idFor({}, {})).toBe(virtualRouterIds('10-77-0-100').api);
  const file = { path: '/etc/hawser/config.yaml', values: { top: {} } };
  const settingsFile = { kind: 'read', file } as const;
  expect(await idFor({}, { settingsFile })).toMatch(/^the virtual router id of 10\.77\.0\.100 is unknown/);
});

test('it listens on the interface in keepalived.conf, else on the one for the VIP', async () => {
  const deviceOf = async (files: Files, settings: Settings) =>
    (await look(files, { virtualRouterIds: { api: 91, ingress: 92 }, ...settings })).map((each) =>
      each.kind === 'known' ? [each.watched.interface, each.watched.sourceAddress] : each.message,
    );
  expect(await deviceOf(configured, {})).toEqual([
    ['eth1', ''],
    ['eth0', 'fd77::b'],
  ]);
  expect(await deviceOf({}, { apiVips: [VIP] })).toEqual([['eth0', '10.77.0.11']]);
  expect(await deviceOf({}, { apiVips: ['192.0.2.9'] })).toEqual([
    '192.0.2.9: the interface to listen on is unknown',
  ]);
});

test('an instance without an id is ignored', () => {
  expect(configuredIds(CONFIG.replace('virtual_router_id 77', ''))).toEqual([
    { vip: 'fd77::100', virtualRouterId: 78, interface: 'eth0' },
  ]);
});

const watched: readonly WatchedRouterId[] = [
  { virtualRouterId: 77, family: 'ipv4', interface: 'eth0', vip: VIP, sourceAddress: '10.77.0.11' },
];
const advert: ForeignAdvert = {
  virtualRouterId: 77,
  family: 'ipv4',
  source: '10.77.0.66',
  version: 3,
  priority: 5,
  vip: '10.77.0.250',
};
const heard = { ids: [], watched, foreign: [advert], peers: [], own: [] };

interface Scene {
  readonly foreign?: readonly ForeignAdvert[];
  readonly peers?: readonly string[] | undefined;
  readonly own?: readonly string[];
}

function judge({ foreign = [advert], own = ['10.77.0.11'], ...rest }: Scene) {
  const peers = 'peers' in rest ? rest.peers?.map((address) => ({ name: address, address })) : [];
  return judgeForeign({ segment: { ...heard, foreign, peers, own } })[0];
}

test('a router is foreign if it is neither this node nor a peer', () => {
  expect(judge({})).toMatchObject({ kind: 'fail', message: expect.stringContaining('10.77.0.66') });
  expect(judge({ peers: ['10.77.0.66'] })).toMatchObject({ kind: 'ok' });
  expect(judge({ own: ['10.77.0.66'] })).toMatchObject({ kind: 'ok' });
});

test('our VIP with another id fails even if a peer advertises it, and the message names both ids', () => {
  const other = { ...advert, virtualRouterId: 154, vip: VIP, source: '10.77.0.12' };
  expect(judge({ foreign: [other], peers: ['10.77.0.12'] })).toMatchObject({
    kind: 'fail',
    message: expect.stringMatching(/10\.77\.0\.12 .*router id 154, while this node uses id 77/),
    remedy: expect.stringContaining('--cluster-name'),
  });
});

test('if the peers are unknown, the remedy says how to name them', () => {
  expect(judge({ peers: undefined })).toMatchObject({ remedy: expect.stringContaining('--servers') });
  expect(judge({})).toMatchObject({ remedy: expect.not.stringContaining('--servers') });
});

test('a VIP whose id is unknown is a finding', () => {
  const unclear = { kind: 'unknown', message: 'which id?', remedy: '--cluster-name NAME' } as const;
  const segment = { ...heard, ids: [unclear], watched: [] };
  expect(judgeForeign({ segment })).toEqual([unclear]);
});
