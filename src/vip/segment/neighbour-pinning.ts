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
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';

/** The kernel probes a silent neighbour three times, a second apart, before it drops the MAC. */
const POLL_INTERVAL_MS = 2_000;

/**
 * While this node holds a VIP, prevents the kernel from dropping the MACs of silent peers. When a partition heals, adverts then
 * reach the peers at once. Without a MAC they would wait for up to a second, the interval of ARP requests, while both nodes hold
 * the VIP. The neighbour entries are ordinary ones and age by themselves. A failure is logged once and affects nothing else.
 */
export async function pinNeighbours(
  stateFile: string,
  served: () => KeepalivedModel | undefined,
  { log, once }: Pick<KeepalivedMonitorObservers, 'log' | 'once'>,
  signal: AbortSignal,
): Promise<void> {
  let locations: PeerLocations = new Map();
  while (!signal.aborted) {
    const peers = unicastPeers(stateFile, served());
    const entries = peers.length === 0 ? [] : ((await listNeighbours()) ?? []);
    const located = locatePeers(locations, entries, peers, monotonicMs());
    locations = located.locations;
    const trouble = located.lost.length === 0 ? undefined : await reviveNeighbours(located.lost);
    if (trouble === undefined) once.clear('lost-peers');
    else if (once.isNew('lost-peers', trouble))
      log({ event: 'peer-mac-not-kept', level: 'warn', message: trouble });
    await sleep(POLL_INTERVAL_MS, signal);
  }
}

/** The peers of an instance as neighbours on its interface. */
export function peersOf({ peers, interface: device }: VrrpInstance): readonly Neighbour[] {
  return peers.map(({ address }) => ({ address, interface: device }));
}

/** The peers to which this node sends adverts. */
function unicastPeers(stateFile: string, model: KeepalivedModel | undefined): readonly Neighbour[] {
  const peers = heldInstances(stateFile, model).flatMap(peersOf);
  return [...new Map(peers.map((peer) => [`${peer.interface} ${peer.address}`, peer])).values()];
}

/** A peer's last known MAC. Times are in milliseconds of one monotonic clock. */
interface PeerLocation {
  readonly mac: string;
  /** When the kernel last confirmed the MAC, or first reported it. */
  readonly confirmedMs: number;
}

/** Keyed by interface and address. */
export type PeerLocations = ReadonlyMap<string, PeerLocation>;

/** After five minutes a switch drops the MAC of a silent host and floods its packets to every port. */
const KEPT_FOR_MS = 300_000;
/** States in which the kernel has received no answer to its probes. */
const LOST = new Set(['PROBE', 'INCOMPLETE', 'FAILED']);

/**
 * Updates the peers' locations from the kernel's neighbour table. `lost`: the peers whose MAC the kernel is about to drop. A peer
 * that never had a MAC, or that has been silent for more than five minutes, is not in `lost`.
 */
export function locatePeers(
  before: PeerLocations,
  entries: readonly NeighbourEntry[],
  peers: readonly Neighbour[],
  nowMs: number,
): { readonly locations: PeerLocations; readonly lost: readonly LocatedNeighbour[] } {
  const locations = new Map<string, PeerLocation>();
  const lost: LocatedNeighbour[] = [];
  for (const peer of peers) {
    const key = `${peer.interface} ${peer.address}`;
    const entry = entries.find(({ dst, dev }) => dst === peer.address && dev === peer.interface);
    const location = locate(before.get(key), entry, nowMs);
    if (location === undefined) continue;
    locations.set(key, location);
    const isLost = entry?.state?.some((state) => LOST.has(state)) ?? true;
    if (isLost && nowMs - location.confirmedMs < KEPT_FOR_MS) lost.push({ ...peer, mac: location.mac });
  }
  return { locations, lost };
}

/** A MAC that the kernel reports for the first time counts as confirmed. */
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
