import { expect, test } from 'vitest';
import { holdersAmong } from '../../../../src/engine/system/network/address-holders.ts';
import { type KeepalivedState, keepalived } from '../../../../src/vip/doctor/facts.ts';
import { judgeVipInterface } from '../../../../src/vip/doctor/link-checks.ts';
import { parseCounts, type Segment } from '../../../../src/vip/doctor/segment.ts';
import {
  adverts,
  foreignRouter,
  judgeAdverts,
  judgeHolders,
  vipHolder,
} from '../../../../src/vip/doctor/segment-checks.ts';
import { contextOf, said, temporaryRoot } from '../../../helpers/doctor/scene.ts';

const VIP = '10.0.0.100';
const [ours, theirs] = ['36:5f:00:00:00:01', '36:5f:00:00:00:02'] as const;
const peers = [{ name: 'cp-2', address: '10.0.0.12' }];

interface Heard {
  readonly on?: readonly string[];
  readonly macs?: readonly string[];
  readonly peers?: Segment['peers'];
  readonly keepalived?: KeepalivedState;
}

test.each<[string, Heard, string, RegExp]>([
  ['silence before the installation', {}, 'ok', /^no host answers for 10\.0\.0\.100: it is free$/],
  ['silence where keepalived runs', { keepalived: 'running' }, 'fail', /^no host answers/],
  ['silence where keepalived is installed and dead', { keepalived: 'down' }, 'fail', /^no host answers/],
  ['silence where keepalived cannot be asked', { keepalived: 'unreachable' }, 'unknown', /cannot be asked$/],
  ['this node alone', { on: ['eth0'] }, 'ok', /^10\.0\.0\.100 is on eth0 of this node$/],
  ['this node and a peer', { on: ['eth0'], macs: [ours], peers }, 'fail', /and cp-2 \(36:.*answers for it/],
  [
    'this node and a stranger',
    { on: ['eth0'], macs: [theirs] },
    'fail',
    /node, and 36:5f:00:00:00:02 answers/,
  ],
  ['a peer', { macs: [ours], peers }, 'ok', /is held by cp-2/],
  ['two hosts elsewhere', { macs: [ours, theirs], peers }, 'fail', /^cp-2 .* and 36:.* answer for/],
  ['a stranger', { macs: [theirs], peers }, 'fail', /is not one of cp-2$/],
  ['a host, with unknown peers', { macs: [theirs] }, 'warn', /it is unknown whether it is one of ours/],
])(
  'vip-holder: %s',
  (_, { on = [], macs = [], peers: known, keepalived: state = 'not-installed' }, kind, found) => {
    const answers = macs.map((mac) => ({ address: VIP, mac }));
    const holders = holdersAmong(answers, [{ address: '10.0.0.12', mac: ours }], known);
    const segment = { asked: new Set([VIP]), holders, peers: known };
    const [finding] = judgeHolders({ vips: [VIP], segment, held: new Map([[VIP, on]]), keepalived: state });
    expect(finding).toMatchObject({ kind, message: expect.stringMatching(found) });
  },
);

const addresses = ['10.0.0.11/24', '10.0.0.100/32', 'fd00::b/64', 'fd00::64/128'];

test.each<[claim: string, vip: string, wanted: string | undefined, words: RegExp]>([
  ['that an earlier run left behind passes', '10.0.0.100', undefined, /^ok: 10\.0\.0\.100 belongs on eth0/],
  ['of IPv6 that an earlier run left behind passes', 'fd00::64', undefined, /^ok: /],
  ['that is the IPv6 address of the node fails', 'fd00::b', undefined, /^fail: fd00::b: .* own address fd00/],
  ['that is the address of the node fails', '10.0.0.11', undefined, /^fail: 10\.0\.0\.11: .* own address 10/],
  ['of no subnet fails', '203.0.113.9', undefined, /^fail: 203\.0\.113\.9: no interface/],
  ['outside the subnet of --interface warns', '203.0.113.9', 'eth0', /^warn: .* no subnet of eth0/],
])('vip-interface: a VIP %s', (_, vip, wanted, words) => {
  expect(said(judgeVipInterface(vip, [{ name: 'eth0', addresses }], [], wanted))).toMatch(words);
});

const peer = ['10.0.0.12'];
const stranger = ['10.0.0.66'];
const silence = { received: [], accepted: [], sent: 0, transmitted: 0 };
const holds = new Map([[VIP, ['eth0']]]);
const holdsOne = new Map([...holds, ['10.0.0.101', []]]);
const backup = new Map([[VIP, []]]);

test.each<[string, object, string]>([
  ['silence where keepalived does not run', {}, 'skip'],
  ['silence where it runs', { keepalived: 'running' }, 'fail'],
  ['a peer', { received: peer, accepted: peer }, 'ok'],
  ['a peer behind the firewall', { received: peer }, 'fail'],
  ['a peer in addition to this holder', { received: peer, accepted: peer, held: holds }, 'fail'],
  ['a stranger', { received: stranger, accepted: stranger, keepalived: 'running' }, 'fail'],
  ['a host, with unknown peers', { received: stranger, accepted: stranger, peers: undefined }, 'ok'],
  ['a holder whose adverts leave', { held: holds, sent: 7, transmitted: 7 }, 'ok'],
  ['a holder whose adverts are dropped', { held: holds, sent: 7 }, 'fail'],
  ['a holder that sends none', { held: holds }, 'fail'],
  ['a holder of one of two VIPs', { held: holdsOne, sent: 7, transmitted: 7, keepalived: 'running' }, 'ok'],
  ["a holder of one VIP and a peer's of the other", { held: holdsOne, received: peer, accepted: peer }, 'ok'],
  ['silence where it cannot be asked', { keepalived: 'unreachable' }, 'unknown'],
])('vrrp-adverts: %s', (_, facts, kind) => {
  const all = { ...silence, held: backup, keepalived: 'not-installed' as const, peers, ...facts };
  expect(judgeAdverts({ ...all, segment: { adverts: all, peers: all.peers } }).kind).toBe(kind);
});

test("vrrp-adverts: our own adverts, returned by multicast, do not count as a stranger's", () => {
  const sets = ['received4', 'accepted4'].map((name) => ({
    set: { name, elem: ['10.0.0.11', '10.0.0.12'] },
  }));
  const listing = JSON.stringify({ nftables: [...sets, { counter: { name: 'sent', packets: 7 } }] });
  expect(parseCounts(listing, ['10.0.0.11'])).toEqual({
    received: ['10.0.0.12'],
    accepted: ['10.0.0.12'],
    sent: 7,
    transmitted: 0,
  });
});

test('the three checks that listen share one watch of the segment', async () => {
  const loads: string[] = [];
  const stop = new AbortController();
  const scene = contextOf(temporaryRoot({}), { apiVips: [VIP] }, stop.signal);
  const listing = { kind: 'ran', exitCode: 0, stdout: '{"nftables":[]}', stderr: '' } as const;
  const run: typeof scene.run = async ([, first]) => {
    if (first?.includes('table inet hawser_doctor {')) {
      loads.push(first);
      // The watch ends at once instead of after its full time.
      stop.abort();
    }
    return listing;
  };
  const readings = { ...scene.readings, interfaces: () => [], routes: async () => [] };
  const context = { ...scene, run, readings };
  const all = [adverts, foreignRouter, vipHolder].map((check) => check.run(context));
  expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['skip', 'unknown', 'unknown']);
  expect(loads).toHaveLength(1);
});

test.each([
  ['not-installed', {}],
  ['not-installed', { '/etc/kubernetes/manifests/keepalived.yaml': 'image: osixia/keepalived' }],
  ['down', { '/etc/kubernetes/manifests/keepalived.yaml': 'image: hawser:0.1.0' }],
])('without a supervisor keepalived is %s if the manifests are %j', async (state, files) => {
  expect(await keepalived(contextOf(temporaryRoot(files), {}, new AbortController().signal))).toEqual({
    kind: 'read',
    value: state,
  });
});
