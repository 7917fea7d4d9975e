import type { LocatedNeighbour, Neighbour, NeighbourEntry } from '../../engine/system/network/neighbours.ts';

/** Where a peer was, as the kernel knew it. Times are in milliseconds of one monotonic clock. */
interface PeerLocation {
  readonly mac: string;
  /** When the peer was last known to be there. */
  readonly confirmedMs: number;
}

/** By interface and address. */
export type PeerLocations = ReadonlyMap<string, PeerLocation>;

/** A switch forgets a silent host after five minutes, and sends what is for it to every port from then on. */
const KEPT_FOR_MS = 300_000;
/** The kernel has asked in vain, or is about to give up. */
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
