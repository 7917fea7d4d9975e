import type { AddressFamily } from './node-address.ts';
import type { KeepalivedModel } from './vrrp.ts';

/** A virtual router id that this node is about to use. */
export interface WatchedRouterId {
  readonly virtualRouterId: number;
  readonly family: AddressFamily;
  readonly interface: string;
  readonly vip: string;
  /** This node's own address in the VIP's family. */
  readonly sourceAddress: string;
}

/** A VRRP packet that came in with a watched id and without the VIP that belongs to it. */
export interface ForeignAdvert {
  readonly virtualRouterId: number;
  readonly family: AddressFamily;
  readonly source: string;
  readonly version: number;
  readonly priority: number;
  /** The first address that it advertises. */
  readonly vip: string;
}

/** Two clusters with one virtual router id on one segment. */
export interface RouterIdConflict {
  readonly ours: WatchedRouterId;
  readonly theirs: ForeignAdvert;
}

export function watchedRouterIds({ instances }: KeepalivedModel): readonly WatchedRouterId[] {
  return instances.map(({ virtualRouterId, family, interface: name, vip, sourceAddress }) => ({
    ...{ virtualRouterId, family, interface: name, vip, sourceAddress },
  }));
}

/** Who else uses an id of these. What comes from `members`, the nodes of this cluster, does not count. */
export function routerIdConflicts(
  watched: readonly WatchedRouterId[],
  members: ReadonlySet<string>,
  heard: readonly ForeignAdvert[],
): readonly RouterIdConflict[] {
  return watched.flatMap((ours) =>
    heard
      .filter(
        ({ virtualRouterId, family, source }) =>
          virtualRouterId === ours.virtualRouterId && family === ours.family && !members.has(source),
      )
      .map((theirs) => ({ ours, theirs })),
  );
}

/**
 * The first instance whose id is somebody else's. What a peer sends is not: its VIP may have been another one until a
 * moment ago.
 */
export function routerIdConflict(
  model: KeepalivedModel,
  heard: readonly ForeignAdvert[],
): RouterIdConflict | undefined {
  const peers = new Set(model.instances.flatMap((each) => each.peers.map(({ address }) => address)));
  return routerIdConflicts(watchedRouterIds(model), peers, heard)[0];
}

/** What whoever is on call needs to know of both clusters, and the two ways out. */
export function explainConflict({ ours, theirs }: RouterIdConflict, clusterName: string): string {
  const here = `cluster "${clusterName}", VIP ${ours.vip} on ${ours.interface}`;
  const there = `${theirs.source} advertises ${theirs.vip} with it (VRRP ${theirs.version}, priority ${theirs.priority})`;
  const expected = 'expected an id that no other router uses on this segment';
  const remedy =
    '--virtual-router-ids API,INGRESS on every node of this cluster gives it others, --force-virtual-router-id joins all the same';
  return `Cannot use virtual router id "${ours.virtualRouterId}" (${here}): ${there}, ${expected}; ${remedy}`;
}
