import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';

/** A virtual router id that this node is about to use. */
export interface WatchedRouterId {
  readonly virtualRouterId: number;
  readonly family: AddressFamily;
  readonly interface: string;
  readonly vip: string;
  /** This node's own address in the VIP's family. */
  readonly sourceAddress: string;
}

/** A VRRP packet that came in with a watched id and without its VIP, or with the VIP and another id. */
export interface ForeignAdvert {
  readonly virtualRouterId: number;
  readonly family: AddressFamily;
  readonly source: string;
  readonly version: number;
  readonly priority: number;
  /** The watched VIP where it advertises that, else the first address that it advertises. */
  readonly vip: string;
}

/** A VRRP 3 packet with a watched id and its VIP: of this node's own group. */
interface GroupAdvert {
  readonly vip: string;
  readonly source: string;
  /** As it names it. */
  readonly intervalMs: number;
}

export interface HeardAdverts {
  readonly foreign: readonly ForeignAdvert[];
  readonly group: readonly GroupAdvert[];
}

/** `id`: two clusters with one virtual router id on one segment. `vip`: one VIP with two ids, which do not hear each other. */
export interface RouterIdConflict {
  readonly kind: 'id' | 'vip';
  readonly ours: WatchedRouterId;
  readonly theirs: ForeignAdvert;
}

export function watchedRouterIds({ instances }: KeepalivedModel): readonly WatchedRouterId[] {
  return instances.map(({ virtualRouterId, family, interface: name, vip, sourceAddress }) => ({
    ...{ virtualRouterId, family, interface: name, vip, sourceAddress },
  }));
}

/**
 * What stands in the way of joining with these. An advert of our id from one of the `members`, the nodes of this cluster,
 * does not: its VIP may have been another one until a moment ago. An advert of our VIP with another id does, also from a
 * member: it does not hear this node, and both would hold the VIP.
 */
export function routerIdConflicts(
  watched: readonly WatchedRouterId[],
  members: ReadonlySet<string>,
  heard: readonly ForeignAdvert[],
): readonly RouterIdConflict[] {
  return watched.flatMap((ours) =>
    heard
      .filter(({ family }) => family === ours.family)
      .flatMap((theirs): readonly RouterIdConflict[] => {
        if (theirs.virtualRouterId !== ours.virtualRouterId)
          return theirs.vip === ours.vip ? [{ kind: 'vip', ours, theirs }] : [];
        return theirs.vip === ours.vip || members.has(theirs.source) ? [] : [{ kind: 'id', ours, theirs }];
      }),
  );
}

/** The first conflict of this model's instances; the sources of their peers are members. */
export function routerIdConflict(
  model: KeepalivedModel,
  heard: readonly ForeignAdvert[],
): RouterIdConflict | undefined {
  const peers = new Set(model.instances.flatMap((each) => each.peers.map(({ address }) => address)));
  return routerIdConflicts(watchedRouterIds(model), peers, heard)[0];
}

/** The interval of all adverts that this model's peers send; undefined if none was heard, or not the same from all. */
export function intervalOfPeers(model: KeepalivedModel, heard: readonly GroupAdvert[]): number | undefined {
  const peers = new Set(model.instances.flatMap((each) => each.peers.map(({ address }) => address)));
  const [first, ...others] = new Set(
    heard.flatMap(({ source, intervalMs }) => (peers.has(source) ? intervalMs : [])),
  );
  return others.length === 0 ? first : undefined;
}

const FORCE = '--force-virtual-router-id joins all the same';

/** Names both sides, and the ways out. */
export function explainConflict({ kind, ours, theirs }: RouterIdConflict, clusterName: string): string {
  const cannot = `Cannot use virtual router id "${ours.virtualRouterId}" (cluster "${clusterName}", VIP ${ours.vip} on ${ours.interface})`;
  const dialect = `(VRRP ${theirs.version}, priority ${theirs.priority})`;
  switch (kind) {
    case 'id':
      return (
        `${cannot}: ${theirs.source} advertises ${theirs.vip} with it ${dialect}, expected an id that no other router uses on this ` +
        `segment; --virtual-router-ids API,INGRESS on every node of this cluster gives it others, ${FORCE}`
      );
    case 'vip':
      return (
        `${cannot}: ${theirs.source} advertises this VIP with id ${theirs.virtualRouterId} ${dialect}, and nodes with different ` +
        'ids do not hear each other, so both would hold it; set the --cluster-name or --virtual-router-ids that ' +
        `${theirs.source} has (hawser show-config keepalived shows them there), ${FORCE}`
      );
  }
}
