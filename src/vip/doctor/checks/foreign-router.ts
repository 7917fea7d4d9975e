import { type Check, type Finding, fail, ok, unknown, worstOf } from '../../../engine/examine/check.ts';
import { addressesOf } from '../../../engine/system/network/routes.ts';
import {
  type RouterIdConflict,
  routerIdConflicts,
  type WatchedRouterId,
} from '../../guards/foreign-router.ts';
import { NO_VIP, type VipContext } from '../context.ts';
import { type AdvertsReading, hearAdverts } from '../look/heard-adverts.ts';
import { LISTEN_MS } from '../look/listen.ts';
import { routerIdsOf } from '../look/router-ids.ts';

const TRY_OTHERS =
  'find a pair that is free: hawser doctor --only foreign-router-id --virtual-router-ids API,INGRESS; set it as keepalived.virtualRouterIds on every node of this cluster, or have the other one changed';
const USE_THEIRS =
  'nodes with different ids do not hear each other, and both hold the VIP: set the same --cluster-name or --virtual-router-ids on every node (hawser show-config keepalived shows them on the other one)';
const STOP_IT = 'VRRP 2 and 3 do not hear each other, and both hold the VIP: stop keepalived there';
const NAME_PEERS = 'if it is a node of this cluster: --servers HOST=IP,… names them';

interface ForeignView {
  readonly watched: readonly WatchedRouterId[];
  readonly look: AdvertsReading;
  /** Addresses of this node. */
  readonly own: readonly string[];
  /** Of the other nodes; undefined where they are not known. */
  readonly peers: readonly string[] | undefined;
}

export function judgeForeign({ watched, look, own, peers }: ForeignView): Finding {
  if (look.kind === 'failed') return unknown(look.message, 'run this as root, with nft installed');
  const members = new Set([...own, ...(peers ?? [])]);
  const todo = peers === undefined ? `${TRY_OTHERS}; ${NAME_PEERS}` : TRY_OTHERS;
  const conflicts = routerIdConflicts(watched, members, look.foreign);
  const ids = [...new Set(watched.map(({ virtualRouterId }) => virtualRouterId))].join(', ');
  return conflicts.length === 0
    ? ok(`id ${ids}: no other use of it or of its VIP was heard in ${LISTEN_MS / 1_000} s`)
    : worstOf(
        conflicts.map((each) =>
          fail(conflictText(each), { id: todo, vip: USE_THEIRS, version: STOP_IT }[each.kind]),
        ),
        NO_VIP,
      );
}

function conflictText({ kind, ours, theirs }: RouterIdConflict): string {
  const by = `${theirs.source} advertises ${theirs.vip} (VRRP ${theirs.version}, priority ${theirs.priority})`;
  return kind !== 'vip'
    ? `${by} with virtual router id ${ours.virtualRouterId}, that of our ${ours.vip} on ${ours.interface}`
    : `${by} with virtual router id ${theirs.virtualRouterId}, while this node uses id ${ours.virtualRouterId} for it on ${ours.interface}`;
}

const foreignRouter: Check<VipContext> = {
  id: 'foreign-router-id',
  title: 'Our router id used by others',
  why: 'Two clusters with one id disturb each other; two ids for one VIP make two holders. A node that hears either does not join.',
  listenMs: LISTEN_MS,
  run: async (context, signal) => {
    const { readings, run } = context;
    const ids = await routerIdsOf(context);
    const watched = ids.flatMap((each) => (each.kind === 'known' ? each.watched : []));
    const unclear = ids.flatMap((each) => (each.kind === 'unknown' ? unknown(each.found, each.todo) : []));
    if (watched.length === 0) return worstOf(unclear, NO_VIP);
    const [look, peers] = await Promise.all([hearAdverts(run, watched, signal), readings.peers()]);
    const own = addressesOf(readings.interfaces());
    const known = peers.kind === 'known' ? peers.peers.map(({ address }) => address) : undefined;
    return worstOf([judgeForeign({ watched, look, own, peers: known }), ...unclear], NO_VIP);
  },
};

export const foreignRouterChecks: readonly Check<VipContext>[] = [foreignRouter];
