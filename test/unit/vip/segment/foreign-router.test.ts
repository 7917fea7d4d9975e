import { expect, test } from 'vitest';
import { buildKeepalivedModel } from '../../../../src/vip/group/keepalived-model.ts';
import type { KeepalivedSettings, VrrpInput } from '../../../../src/vip/group/vrrp.ts';
import {
  explainConflict,
  type ForeignAdvert,
  routerIdConflict,
} from '../../../../src/vip/segment/foreign-router.ts';

const settings: KeepalivedSettings = {
  clusterName: 'bed',
  apiVips: ['10.0.0.5', 'fd00::5'],
  ingressVips: [],
  nodeName: 'a',
  virtualRouterIds: { api: 77, ingress: 78 },
  notifyFifo: '/run/notify.fifo',
  trackFiles: { api: '/run/lb.track', ingress: '/run/ingress.track' },
};
const input: VrrpInput = {
  settings,
  controlPlane: [
    { name: 'a', addresses: ['10.0.0.1', 'fd00::1'] },
    { name: 'b', addresses: ['10.0.0.2', 'fd00::2'] },
  ],
  allNodes: [],
  interfaces: [{ name: 'eth0', addresses: ['10.0.0.1/24', 'fd00::1/64'] }],
  routes: [],
};
const outcome = buildKeepalivedModel(input);
if (outcome.kind !== 'model') throw new Error(outcome.reason);
const { model } = outcome;

const advert: ForeignAdvert = {
  virtualRouterId: 77,
  family: 'ipv4',
  source: '10.0.0.66',
  version: 2,
  priority: 150,
  vip: '10.0.0.99',
};

test('a foreign router with our id is a conflict, and the message names both routers and the fixes', () => {
  const conflict = routerIdConflict(model, [advert]);
  if (conflict === undefined) throw new Error('no conflict');
  expect(explainConflict(conflict, 'bed')).toBe(
    'Cannot use virtual router id "77" (cluster "bed", VIP 10.0.0.5 on eth0): 10.0.0.66 advertises 10.0.0.99 with it ' +
      '(VRRP 2, priority 150), expected an id that no other router uses on this segment; --virtual-router-ids ' +
      'API,INGRESS on every node of this cluster sets others, or join anyway with --force-virtual-router-id',
  );
});

test('an id conflicts only within its address family', () => {
  const other = { ...advert, family: 'ipv6', source: 'fe80::66', vip: 'fd00::99' } as const;
  expect(routerIdConflict(model, [other])?.ours.vip).toBe('fd00::5');
  expect(routerIdConflict(model, [advert])?.ours.vip).toBe('10.0.0.5');
});

test.each([
  ['another id', { virtualRouterId: 78 }],
  ['a peer whose VIP has just changed', { source: '10.0.0.2' }],
])('%s is not a router-id conflict', (_what, part) => {
  expect(routerIdConflict(model, [{ ...advert, ...part }])).toBeUndefined();
});

test('our VIP with another id is a conflict even from a peer, and the message names both ids', () => {
  const conflict = routerIdConflict(model, [
    { ...advert, virtualRouterId: 154, vip: '10.0.0.5', version: 3, priority: 220, source: '10.0.0.2' },
  ]);
  if (conflict === undefined) throw new Error('no conflict');
  expect(explainConflict(conflict, 'bed')).toBe(
    'Cannot use virtual router id "77" (cluster "bed", VIP 10.0.0.5 on eth0): 10.0.0.2 advertises this VIP with id 154 ' +
      "(VRRP 3, priority 220), and nodes with different ids ignore each other's adverts, so both would hold it; set the " +
      '--cluster-name or --virtual-router-ids that 10.0.0.2 has (hawser show-config keepalived shows them there), ' +
      'or join anyway with --force-virtual-router-id',
  );
});

test('our VIP with our id in VRRP 2 is a conflict even from a peer', () => {
  const shared = { ...advert, vip: '10.0.0.5', source: '10.0.0.2' };
  expect(routerIdConflict(model, [{ ...shared, version: 3 }])).toBeUndefined();
  const conflict = routerIdConflict(model, [{ ...shared, version: 2 }]);
  if (conflict === undefined) throw new Error('no conflict');
  expect(explainConflict(conflict, 'bed')).toContain(
    '10.0.0.2 advertises this VIP with it (VRRP 2, priority 150), expected VRRP 3',
  );
});
