import {
  type LocatedNeighbour,
  listNeighbours,
  type Neighbour,
  type NeighbourEntry,
  reviveNeighbours,
} from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { heldInstances } from '../group/local-vrrp-role.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';

/** The kernel asks a silent neighbour three times, a second apart, before it forgets the MAC. */
const LOOK_EVERY_MS = 2_000;

/**
 * While this node holds a VIP, keeps the kernel from forgetting the MACs of peers that have fallen silent. After a partition the
 * adverts then reach them at once: without a MAC they would wait for up to a second, the time between two ARP requests, and both
 * nodes hold the VIP for as long. What it leaves is an entry like any other, that ages by itself. If it fails, that is logged once
 * and affects nothing else.
 */
export async function pinNeighbours(
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
  const peers = heldInstances(stateFile, model).flatMap((each) =>
    each.peers.map(({ address }) => ({ address, interface: each.interface })),
  );
  return [...new Map(peers.map((peer) => [`${peer.interface} ${peer.address}`, peer])).values()];
}

/** A peer's last known MAC. Times are in milliseconds of one monotonic clock. */
interface PeerLocation {
  readonly mac: string;
  /** When the peer was last known to be there. */
  readonly confirmedMs: number;
}

/** By interface and address. */
export type PeerLocations = ReadonlyMap<string, PeerLocation>;

/** A switch forgets a silent host after five minutes, and sends what is for it to every port from then on. */
const KEPT_FOR_MS = 300_000;
/** The kernel got no answer, or is about to give up. */
const LOST = new Set(['PROBE', 'INCOMPLETE', 'FAILED']);

/**
 * What is known of the peers after one more look at the kernel's table, and those of them whose MAC it is losing. A peer that it
 * has never found is left to it, and so is one that has been silent for longer than five minutes.
 */
export function lookForLostPeers(
  known: PeerLocations,
  entries: readonly NeighbourEntry[],
  peers: readonly Neighbour[],
  nowMs: number,
): { readonly known: PeerLocations; readonly lost: readonly LocatedNeighbour[] } {
  const next = new Map<string, PeerLocation>();
  const lost: LocatedNeighbour[] = [];
  for (const peer of peers) {
    const key = `${peer.interface} ${peer.address}`;
    const entry = entries.find(({ dst, dev }) => dst === peer.address && dev === peer.interface);
    const location = locate(known.get(key), entry, nowMs);
    if (location === undefined) continue;
    next.set(key, location);
    const isLost = entry?.state?.some((state) => LOST.has(state)) ?? true;
    if (isLost && nowMs - location.confirmedMs < KEPT_FOR_MS) lost.push({ ...peer, mac: location.mac });
  }
  return { known: next, lost };
}

/** A MAC that is no longer confirmed was right when it was first seen. */
function locate(
  before: PeerLocation | undefined,
  entry: NeighbourEntry | undefined,
  nowMs: number,
): PeerLocation | undefined {
  const { lladdr: mac, state } = entry ?? {};
  if (mac === undefined) return before;
  const isConfirmed = state?.includes('REACHABLE') === true;
  return isConfirmed || mac !== before?.mac ? { mac, confirmedMs: nowMs } : before;
}
