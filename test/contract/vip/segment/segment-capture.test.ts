import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WatchedRouterId } from '../../../../src/vip/segment/foreign-router.ts';
import {
  createSegmentCapture,
  type ProbedVip,
  type SegmentCapture,
  type SegmentReading,
} from '../../../../src/vip/segment/segment-capture.ts';
import { foreignRouterText } from '../../../helpers/foreign-router.ts';
import { startKeepalived } from '../../../helpers/keepalived-process.ts';
import { connectSegment, createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const stack = new AsyncDisposableStack();
let here: NetNamespace;
let other: NetNamespace;
let dir: string;

const probed = (vip: string, virtualRouterId: number, senders = ['10.77.0.11', 'fd77::11']): ProbedVip => ({
  vip,
  virtualRouterId,
  senders,
  family: vip.includes(':') ? 'ipv6' : 'ipv4',
  interface: 'eth0',
});
const vips = [
  ...[probed('10.77.0.100', 77), probed('10.77.0.101', 78)],
  ...[probed('fd77::100', 77), probed('fd77::101', 78)],
];
/** The rules for this id accept our own adverts, which must still reach the sets of adverts. */
const routerIds: readonly WatchedRouterId[] = [
  {
    virtualRouterId: 77,
    family: 'ipv4',
    interface: 'eth0',
    vip: '10.77.0.100',
    sourceAddress: '10.77.0.10',
  },
];

beforeAll(async () => {
  dir = mkdtempSync('/run/hawser-use-');
  stack.defer(() => rmSync(dir, { recursive: true, force: true }));
  here = stack.use(await createNetNamespace());
  other = stack.use(await createNetNamespace());
  stack.use(
    await connectSegment([
      { namespace: here, device: 'eth0', addresses: ['10.77.0.10/24', 'fd77::10/64'] },
      { namespace: other, device: 'eth0', addresses: ['10.77.0.11/24', 'fd77::11/64'] },
    ]),
  );
});
afterAll(() => stack.disposeAsync());

/** Reads and flushes like the segment watch, so that an advert between two readings is in the second. */
async function readAndFlush(capture: SegmentCapture): Promise<SegmentReading> {
  const reading = await capture.read();
  if (typeof reading === 'string') throw new Error(reading);
  expect(await capture.flush('adverts')).toBeUndefined();
  return reading;
}

test('a host with two VIPs of each family advertises one to this node and the other to another', async () => {
  const capture = createSegmentCapture({ nft: [...here.prefix, 'nft'] });
  expect(await capture.set({ vips, routerIds })).toBeUndefined();
  const text = foreignRouterText(3, [
    { virtualRouterId: 77, vips: ['10.77.0.100'], peer: '10.77.0.10' },
    { virtualRouterId: 78, vips: ['10.77.0.101'], peer: '10.77.0.12' },
    { virtualRouterId: 77, vips: ['fe80::77', 'fd77::100'], peer: 'fd77::10', source: 'fd77::11' },
    { virtualRouterId: 78, vips: ['fe80::78', 'fd77::101'], peer: 'fd77::12', source: 'fd77::11' },
  ]);
  startKeepalived(other, { dir, name: 'holder', text });
  const all = vips.map(({ vip }) => vip);
  const answered = new Set<string>();
  const advertised = new Set<string>();
  await waitFor('every VIP to be answered for, and two to be advertised', async () => {
    for (const { vip } of vips) {
      await here.run('ip', 'neigh', 'replace', vip, 'dev', 'eth0', 'nud', 'failed');
      await here.run('ip', 'neigh', 'replace', vip, 'dev', 'eth0', 'use');
    }
    const reading = await readAndFlush(capture);
    for (const { address } of reading.answers) answered.add(address);
    for (const vip of reading.advertised) advertised.add(vip);
    return all.every((vip) => answered.has(vip)) && advertised.size >= 2;
  });
  expect([...advertised].sort()).toEqual(['10.77.0.100', 'fd77::100']);

  const isRecorded = async () => {
    const set = await here.run('nft', 'list', 'set', 'netdev', 'hawser_segment', 'adverts_ipv4');
    return set.includes('10.77.0.100 .');
  };
  await waitFor('an advert between two readings', isRecorded);
  expect((await readAndFlush(capture)).advertised).toContain('10.77.0.100');
  expect(await capture.remove()).toBeUndefined();
  expect(await here.run('nft', 'list', 'tables')).toBe('');
});

test('adverts by multicast, from a stranger, of another router or in another version do not count', async () => {
  const capture = createSegmentCapture({ nft: [...here.prefix, 'nft'] });
  const peer = '10.77.0.10';
  const text = foreignRouterText(3, [
    { virtualRouterId: 80, vips: ['10.77.0.110'] },
    { virtualRouterId: 81, vips: ['10.77.0.111'], peer },
    { virtualRouterId: 80, vips: ['fe80::80', 'fd77::110'] },
    { virtualRouterId: 82, vips: ['10.77.0.112'], peer },
    { virtualRouterId: 84, vips: ['10.77.0.114'], peer },
  ]);
  const old = foreignRouterText(2, [{ virtualRouterId: 83, vips: ['10.77.0.113'], peer }]);
  const routerIds = [
    { ...probed('10.77.0.111', 91), virtualRouterId: 91, sourceAddress: peer },
    { ...probed('10.77.0.113', 83), virtualRouterId: 83, sourceAddress: peer },
  ];
  const watched = [
    ...[probed('10.77.0.110', 80), probed('10.77.0.111', 91), probed('fd77::110', 80)],
    ...[probed('10.77.0.112', 82), probed('10.77.0.113', 83), probed('10.77.0.114', 84, ['10.77.0.12'])],
  ];
  expect(await capture.set({ vips: watched, routerIds })).toBeUndefined();
  startKeepalived(other, { dir, name: 'multicast', text });
  startKeepalived(other, { dir, name: 'old', text: old });
  const advertised = new Set<string>();
  let rounds = 0;
  // One process sends all the adverts of version 3: in two rounds it has sent each of them.
  await waitFor('two adverts to this node, and both foreign routers', async () => {
    const reading = await readAndFlush(capture);
    for (const vip of reading.advertised) advertised.add(vip);
    if (reading.advertised.has('10.77.0.112')) rounds += 1;
    return rounds >= 2 && reading.foreign.length === 2;
  });
  expect([...advertised]).toEqual(['10.77.0.112']);
  expect(await capture.remove()).toBeUndefined();
});
