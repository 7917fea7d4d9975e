import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';

/** A virtual router id that this node is about to use. */
export type WatchedRouterId = Pick<
  VrrpInstance,
  'virtualRouterId' | 'family' | 'interface' | 'vip' | 'sourceAddress'
>;

/** A VRRP packet that came in with a watched id and without its VIP, with the VIP and another id, or in another version of VRRP. */
export interface ForeignAdvert {
  readonly virtualRouterId: number;
  readonly family: AddressFamily;
  readonly source: string;
  readonly version: number;
  readonly priority: number;
  /** The watched VIP where it advertises that, else the first address that it advertises. */
  readonly vip: string;
}

/**
 * `id`: two clusters with one virtual router id on one segment. `vip`: one VIP with two ids, `version`: one VIP in two versions of
 * VRRP; these do not hear each other.
 */
export interface RouterIdConflict {
  readonly kind: 'id' | 'vip' | 'version';
  readonly ours: WatchedRouterId;
  readonly theirs: ForeignAdvert;
}

export function watchedRouterIds({ instances }: KeepalivedModel): readonly WatchedRouterId[] {
  return instances.map(({ virtualRouterId, family, interface: name, vip, sourceAddress }) => ({
    virtualRouterId,
    family,
    interface: name,
    vip,
    sourceAddress,
  }));
}

/**
 * What stands in the way of joining with these. An advert of our id from one of the `members`, the nodes of this cluster,
 * does not: its VIP may have been another one until a moment ago. An advert of our VIP with another id or in another version
 * does, also from a member: it does not hear this node, and both would hold the VIP.
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
        if (theirs.vip === ours.vip)
          return theirs.version === VRRP_VERSION ? [] : [{ kind: 'version', ours, theirs }];
        return members.has(theirs.source) ? [] : [{ kind: 'id', ours, theirs }];
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

/** Of the template. */
export const VRRP_VERSION = 3;

/** Three adverts of a router that keeps to the usual second, and a margin. A silent one is not detected. */
export const LISTEN_MS = 3_200;

const FORCE = '--force-virtual-router-id joins all the same';

/** Names both sides, and the ways out. */
export function explainConflict({ kind, ours, theirs }: RouterIdConflict, clusterName: string): string {
  const cannot = `Cannot use virtual router id "${ours.virtualRouterId}" (cluster "${clusterName}", VIP ${ours.vip} on ${ours.interface})`;
  const how = `(VRRP ${theirs.version}, priority ${theirs.priority})`;
  switch (kind) {
    case 'id':
      return (
        `${cannot}: ${theirs.source} advertises ${theirs.vip} with it ${how}, expected an id that no other router uses on this ` +
        `segment; --virtual-router-ids API,INGRESS on every node of this cluster gives it others, ${FORCE}`
      );
    case 'vip':
      return (
        `${cannot}: ${theirs.source} advertises this VIP with id ${theirs.virtualRouterId} ${how}, and nodes with different ` +
        'ids do not hear each other, so both would hold it; set the --cluster-name or --virtual-router-ids that ' +
        `${theirs.source} has (hawser show-config keepalived shows them there), ${FORCE}`
      );
    case 'version':
      return (
        `${cannot}: ${theirs.source} advertises this VIP with it ${how}, expected VRRP ${VRRP_VERSION}: they do not hear each other, so ` +
        `both would hold it; stop keepalived on ${theirs.source} first, ${FORCE}`
      );
  }
}
