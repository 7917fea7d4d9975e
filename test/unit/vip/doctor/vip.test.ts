import { expect, test } from 'vitest';
import { judgeHolder, judgeVipInterface } from '../../../../src/vip/doctor/checks/vip.ts';
import { judgeAdverts } from '../../../../src/vip/doctor/checks/vrrp.ts';
import { parseAdverts } from '../../../../src/vip/doctor/look/adverts.ts';

const look = { vip: '10.0.0.100', here: [], answeredBy: undefined, peers: undefined, isLive: false } as const;

test('vip-holder: a VIP without a holder is free before the installation and lost after it', () => {
  expect(judgeHolder(look)).toMatchObject({ kind: 'ok' });
  expect(judgeHolder({ ...look, isLive: true })).toMatchObject({ kind: 'fail' });
});

test('vip-holder: a VIP that is here and is answered for by another host has two holders', () => {
  const here = { ...look, here: ['eth0'], isLive: true };
  expect(judgeHolder(here)).toMatchObject({ kind: 'ok' });
  const besides = ['36:5f:00:00:00:01'];
  expect(judgeHolder({ ...here, besides })).toMatchObject({
    kind: 'fail',
    found: '10.0.0.100 is on eth0 of this node, and 36:5f:00:00:00:01 answers for it too',
  });
  expect(judgeHolder({ ...here, besides, peers: new Map([['36:5f:00:00:00:01', 'cp-2']]) })).toMatchObject({
    found: expect.stringContaining('cp-2 (36:5f:00:00:00:01) answers'),
  });
});

test('vip-interface: a VIP that an earlier run left behind is not taken for an address of the node', () => {
  const interfaces = [
    { name: 'eth0', addresses: ['10.0.0.11/24', '10.0.0.100/32', 'fd00::b/64', 'fd00::64/128'] },
  ];
  expect(judgeVipInterface('10.0.0.100', interfaces, [])).toMatchObject({ kind: 'ok' });
  expect(judgeVipInterface('fd00::64', interfaces, [])).toMatchObject({ kind: 'ok' });
  expect(judgeVipInterface('fd00::b', interfaces, [])).toMatchObject({ kind: 'fail' });
});

const silence = { kind: 'seen', came: [], passed: [], sent: 0, left: 0 } as const;
const view = { seen: silence, isHolder: false, isLive: false, peers: ['10.0.0.12'] };

test('vrrp-adverts: silence means something only where keepalived runs', () => {
  expect(judgeAdverts(view)).toMatchObject({ kind: 'skip' });
  expect(judgeAdverts({ ...view, isLive: true })).toMatchObject({ kind: 'fail' });
});

test('vrrp-adverts: a stranger does not count if the peers are known', () => {
  const seen = { ...silence, came: ['10.0.0.66'], passed: ['10.0.0.66'] };
  expect(judgeAdverts({ ...view, seen, isLive: true })).toMatchObject({ kind: 'fail' });
  expect(judgeAdverts({ ...view, seen, peers: [] })).toMatchObject({ kind: 'ok' });
});

test('vrrp-adverts: our own, which multicast brings back, do not count as a stranger', () => {
  const sets = ['came4', 'passed4'].map((name) => ({ set: { name, elem: ['10.0.0.11', '10.0.0.12'] } }));
  const listing = JSON.stringify({ nftables: [...sets, { counter: { name: 'sent', packets: 7 } }] });
  expect(parseAdverts(listing, ['10.0.0.11'])).toEqual({
    kind: 'seen',
    came: ['10.0.0.12'],
    passed: ['10.0.0.12'],
    sent: 7,
    left: 0,
  });
});
