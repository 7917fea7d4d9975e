import { listNeighbours, type Neighbour, reviveNeighbours } from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { readLocalVrrpRole } from '../group/local-vrrp-role.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import { lookForLostPeers, type PeerLocations } from './lost-peers.ts';

/** The kernel asks a silent neighbour three times, a second apart, before it forgets the MAC. */
const LOOK_EVERY_MS = 2_000;

/**
 * While this node holds a VIP, keeps the kernel from forgetting the MACs of peers that have fallen silent. After a partition the
 * adverts then reach them at once: without a MAC they would wait for up to a second, the time between two ARP requests, and both
 * nodes hold the VIP for as long. What it leaves is an entry like any other, that ages by itself. If it fails, that is logged once
 * and affects nothing else.
 */
export async function guardLostPeers(
  stateFile: string,
  served: () => KeepalivedModel | undefined,
  { log, once }: Pick<KeepalivedMonitorObservers, 'log' | 'once'>,
  signal: AbortSignal,
): Promise<void> {
  let known: PeerLocations = new Map();
  while (!signal.aborted) {
    const peers = unicastPeers(stateFile, served());
    const entries = peers.length === 0 ? [] : ((await listNeighbours()) ?? []);
    const look = lookForLostPeers(known, entries, peers, monotonicMs());
    known = look.known;
    const trouble = look.lost.length === 0 ? undefined : await reviveNeighbours(look.lost);
    if (trouble === undefined) once.clear('lost-peers');
    else if (once.isNew('lost-peers', trouble))
      log({ event: 'peer-mac-not-kept', level: 'warn', message: trouble });
    await sleep(LOOK_EVERY_MS, signal);
  }
}

/** Those to which this node sends adverts. */
function unicastPeers(stateFile: string, model: KeepalivedModel | undefined): readonly Neighbour[] {
  const held = (model?.instances ?? []).filter(
    ({ name }) => readLocalVrrpRole(stateFile, new Set([name]), Date.now()).role === 'holder',
  );
  const peers = held.flatMap((each) =>
    each.peers.map(({ address }) => ({ address, interface: each.interface })),
  );
  return [...new Map(peers.map((peer) => [`${peer.interface} ${peer.address}`, peer])).values()];
}
