import { expect, test } from 'vitest';
import type { NeighbourEntry } from '../../../../src/engine/system/network/neighbours.ts';
import { lookForLostPeers, type PeerLocations } from '../../../../src/vip/segment/neighbour-pinning.ts';

const peer = { address: '10.0.0.12', interface: 'eth0' };
const mac = '02:00:00:00:00:0c';
const at = (state: string, lladdr: string = mac): readonly NeighbourEntry[] => [
  { dst: peer.address, dev: 'eth0', lladdr, state: [state] },
];
const waiting: readonly NeighbourEntry[] = [{ dst: peer.address, dev: 'eth0', state: ['INCOMPLETE'] }];

/** What is lost at the last of these looks, two seconds apart. */
function lostAfter(...looks: readonly (readonly NeighbourEntry[])[]) {
  let known: PeerLocations = new Map();
  let lost: ReturnType<typeof lookForLostPeers>['lost'] = [];
  for (const [index, entries] of looks.entries())
    ({ known, lost } = lookForLostPeers(known, entries, [peer], index * 2_000));
  return lost;
}
const times = (count: number, entries: readonly NeighbourEntry[]) =>
  Array.from({ length: count }, () => entries);

test('a peer that answers, or is not asked yet, is not touched', () => {
  for (const state of ['REACHABLE', 'STALE', 'DELAY', 'PERMANENT', 'NOARP'])
    expect(lostAfter(at('REACHABLE'), at(state))).toEqual([]);
});

test.each([
  ['is probing it', at('PROBE')],
  ['got no answer', waiting],
  ['has given it up', [{ dst: peer.address, dev: 'eth0', state: ['FAILED'] }]],
  ['has forgotten it', []],
])("if the kernel %s, adverts go to the peer's last address", (_how, entries) => {
  expect(lostAfter(at('REACHABLE'), entries)).toEqual([{ ...peer, mac }]);
  expect(lostAfter(at('STALE'), entries)).toEqual([{ ...peer, mac }]);
});

test('a peer that the kernel never found is left to it', () => {
  expect(lostAfter(waiting, waiting)).toEqual([]);
  expect(lookForLostPeers(new Map(), at('PROBE'), [{ ...peer, interface: 'eth1' }], 0).lost).toEqual([]);
});

test('a peer that speaks from another MAC is sent to there', () => {
  const other = '02:00:00:00:00:99';
  expect(lostAfter(at('REACHABLE'), at('STALE', other), waiting)).toEqual([{ ...peer, mac: other }]);
});

test('a peer that is silent for five minutes is given up, also where it was kept all the time', () => {
  const silent = [at('STALE'), at('PROBE')];
  const kept = [at('REACHABLE'), ...Array.from({ length: 74 }, () => silent).flat()];
  expect(lostAfter(...kept)).toEqual([{ ...peer, mac }]);
  expect(lostAfter(...kept, ...times(2, waiting))).toEqual([]);
});

test('a node that is no peer any more is forgotten', () => {
  const { known } = lookForLostPeers(new Map(), at('REACHABLE'), [peer], 0);
  expect(lookForLostPeers(known, [], [], 2_000)).toEqual({ known: new Map(), lost: [] });
});
