import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { KeepalivedModel, VrrpInstance } from '../group/vrrp.ts';

/** A virtual router id that this node is about to use. */
export type WatchedRouterId = Pick<
  VrrpInstance,
  'virtualRouterId' | 'family' | 'interface' | 'vip' | 'sourceAddress'
>;

/** A received VRRP advert with a watched id but not its VIP, with the VIP but another id, or with both in another VRRP version. */
export interface ForeignAdvert {
  readonly virtualRouterId: number;
  readonly family: AddressFamily;
  readonly source: string;
  readonly version: number;
  readonly priority: number;
  /** The watched VIP if the advert contains it, else the advert's first address. */
  readonly vip: string;
}

/**
 * `id`: two clusters use the same virtual router id on one segment. `vip`: one VIP is advertised with two ids. `version`: one VIP
 * is advertised in two VRRP versions. With `vip` and `version` the routers ignore each other's adverts.
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
 * The conflicts that prevent joining with the `watched` ids. An advert with our id from one of the `members`, the nodes of this
 * cluster, is not a conflict: the member's VIP may just have changed. An advert of our VIP with another id or VRRP version is a
 * conflict even from a member: the two nodes ignore each other's adverts, and both would hold the VIP.
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

/** The first conflict of this model's instances. Their peers are the members; undefined if there is no conflict. */
export function routerIdConflict(
  model: KeepalivedModel,
  heard: readonly ForeignAdvert[],
): RouterIdConflict | undefined {
  const peers = new Set(model.instances.flatMap((each) => each.peers.map(({ address }) => address)));
  return routerIdConflicts(watchedRouterIds(model), peers, heard)[0];
}

/** The VRRP version that the keepalived template sets. */
export const VRRP_VERSION = 3;

/** Three adverts at the usual interval of one second, plus a margin. A silent router is not detected. */
export const LISTEN_MS = 3_200;
/** A single advert. Enough for a node that had the same ids before it booted: after a power cut it may have to serve at once. */
export const LISTEN_AGAIN_MS = 1_200;

const FORCE = 'or join anyway with --force-virtual-router-id';

/** The error message for a conflict: both routers, and the possible fixes. */
export function explainConflict({ kind, ours, theirs }: RouterIdConflict, clusterName: string): string {
  const cannot = `Cannot use virtual router id "${ours.virtualRouterId}" (cluster "${clusterName}", VIP ${ours.vip} on ${ours.interface})`;
  const advert = `(VRRP ${theirs.version}, priority ${theirs.priority})`;
  switch (kind) {
    case 'id':
      return (
        `${cannot}: ${theirs.source} advertises ${theirs.vip} with it ${advert}, expected an id that no other router uses on this ` +
        `segment; --virtual-router-ids API,INGRESS on every node of this cluster sets others, ${FORCE}`
      );
    case 'vip':
      return (
        `${cannot}: ${theirs.source} advertises this VIP with id ${theirs.virtualRouterId} ${advert}, and nodes with different ` +
        "ids ignore each other's adverts, so both would hold it; set the --cluster-name or --virtual-router-ids that " +
        `${theirs.source} has (hawser show-config keepalived shows them there), ${FORCE}`
      );
    case 'version':
      return (
        `${cannot}: ${theirs.source} advertises this VIP with it ${advert}, expected VRRP ${VRRP_VERSION}: they ignore each ` +
        `other's adverts, so both would hold it; stop keepalived on ${theirs.source} first, ${FORCE}`
      );
  }
}
