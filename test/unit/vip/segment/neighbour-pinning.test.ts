import { expect, test } from 'vitest';
import type { NeighbourEntry } from '../../../../src/engine/system/network/neighbours.ts';
import { locatePeers, type PeerLocations } from '../../../../src/vip/segment/neighbour-pinning.ts';

const peer = { address: '10.0.0.12', interface: 'eth0' };
const mac = '02:00:00:00:00:0c';
const at = (state: string, lladdr: string = mac): readonly NeighbourEntry[] => [
  { dst: peer.address, dev: 'eth0', lladdr, state: [state] },
];
const waiting: readonly NeighbourEntry[] = [{ dst: peer.address, dev: 'eth0', state: ['INCOMPLETE'] }];

/** The lost peers after the last of these tables, which are two seconds apart. */
function lostAfter(...tables: readonly (readonly NeighbourEntry[])[]) {
  let locations: PeerLocations = new Map();
  let lost: ReturnType<typeof locatePeers>['lost'] = [];
  for (const [index, entries] of tables.entries())
    ({ locations, lost } = locatePeers(locations, entries, [peer], index * 2_000));
  return lost;
}
const times = (count: number, entries: readonly NeighbourEntry[]) =>
  Array.from({ length: count }, () => entries);

test('a peer that answers or has not been probed yet is not lost', () => {
  for (const state of ['REACHABLE', 'STALE', 'DELAY', 'PERMANENT', 'NOARP'])
    expect(lostAfter(at('REACHABLE'), at(state))).toEqual([]);
});

test.each([
  ['is probing it', at('PROBE')],
  ['has received no answer', waiting],
  ['has marked it failed', [{ dst: peer.address, dev: 'eth0', state: ['FAILED'] }]],
  ['has dropped its entry', []],
])('a peer is lost, with its last MAC, if the kernel %s', (_state, entries) => {
  expect(lostAfter(at('REACHABLE'), entries)).toEqual([{ ...peer, mac }]);
  expect(lostAfter(at('STALE'), entries)).toEqual([{ ...peer, mac }]);
});

test('a peer whose MAC was never resolved is not lost', () => {
  expect(lostAfter(waiting, waiting)).toEqual([]);
  expect(locatePeers(new Map(), at('PROBE'), [{ ...peer, interface: 'eth1' }], 0).lost).toEqual([]);
});

test('a changed MAC of a peer replaces the previous one', () => {
  const other = '02:00:00:00:00:99';
  expect(lostAfter(at('REACHABLE'), at('STALE', other), waiting)).toEqual([{ ...peer, mac: other }]);
});

test('a peer that was silent for five minutes is not revived again', () => {
  const silent = [at('STALE'), at('PROBE')];
  const kept = [at('REACHABLE'), ...Array.from({ length: 74 }, () => silent).flat()];
  expect(lostAfter(...kept)).toEqual([{ ...peer, mac }]);
  expect(lostAfter(...kept, ...times(2, waiting))).toEqual([]);
});

test('the location of a removed peer is dropped', () => {
  const { locations } = locatePeers(new Map(), at('REACHABLE'), [peer], 0);
  expect(locatePeers(locations, [], [], 2_000)).toEqual({ locations: new Map(), lost: [] });
});
