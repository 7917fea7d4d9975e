import {
  type Check,
  checkOf,
  type Finding,
  fail,
  ok,
  skip,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import { LISTEN_MS, type RouterIdConflict, routerIdConflicts } from '../segment/foreign-router.ts';
import { NO_VIP, type VipContext } from './context.ts';
import { held, type KeepalivedState, keepalived, vips } from './facts.ts';
import { type Segment, segment } from './segment.ts';

const LET_IT_IN =
  'nft list ruleset (or iptables -S) names the rule; put before it: meta l4proto 112 accept (docs/install.md)';

const SEE = 'see check keepalived-supervisor';

interface AdvertsFacts {
  readonly segment: Pick<Segment, 'adverts' | 'peers'>;
  readonly held: ReadonlyMap<string, readonly string[]>;
  readonly keepalived: KeepalivedState;
}

/** Judges the adverts sent and received. Only the holder sends adverts, so what to expect depends on whether this node is the holder. */
export function judgeAdverts({ segment: heard, held: here, keepalived }: AdvertsFacts): Finding {
  const { adverts, peers = [] } = heard;
  const fromPeers = (senders: readonly string[]): readonly string[] =>
    peers.length === 0 ? senders : senders.filter((each) => peers.some(({ address }) => address === each));
  const received = fromPeers(adverts.received);
  const accepted = fromPeers(adverts.accepted);
  const isHere = [...here.values()].map((interfaces) => interfaces.length > 0);
  // A holder of one VIP receives the adverts of the holder of another.
  const isHolder = isHere.some(Boolean);
  const isOnlyHolder = isHere.every(Boolean);
  const lost = received.filter((address) => !accepted.includes(address));
  if (lost.length > 0)
    return fail(`adverts from ${lost.join(', ')} reach this node, but its firewall drops them`, LET_IT_IN);
  if (isOnlyHolder && accepted.length > 0)
    return fail(
      `this node has the VIP and ${accepted.join(', ')} sends adverts as well: two holders`,
      'hawser keepalived status on both; compare interface, router id and peers in keepalived.conf',
    );
  if (accepted.length > 0) return ok(`adverts from ${accepted.join(', ')} arrive`);
  if (isHolder && adverts.sent > 0 && adverts.transmitted === 0)
    return fail("this node's outgoing adverts are dropped", LET_IT_IN);
  if (isHolder && adverts.transmitted > 0)
    return ok(
      'this node holds the VIP and its adverts leave; run this check on the other nodes to see whether they arrive',
    );
  if (isHolder)
    return fail(
      'this node has the VIP and sends no adverts',
      'hawser keepalived status; the VIP may be stale: ip -br address',
    );
  if (keepalived === 'unreachable')
    return unknown('no host sends adverts to this node, and its keepalived supervisor cannot be asked', SEE);
  if (keepalived === 'running')
    return fail(
      `keepalived runs here as backup and received no adverts for ${LISTEN_MS / 1_000} s`,
      'on the holder: hawser doctor --only vrrp-adverts; then the network between (security groups: IP protocol 112)',
    );
  return skip('keepalived does not run here, and no host sends adverts to this node');
}

export const adverts: Check<VipContext> = checkOf({
  id: 'vrrp-adverts',
  title: 'VRRP adverts of the holder',
  why: 'Clouds and firewalls silently drop IP protocol 112; then each node thinks it is the only one.',
  isFirst: true,
  listenMs: LISTEN_MS,
  needs: { vips, segment, held, keepalived },
  judge: judgeAdverts,
});

const TRY_OTHERS =
  'find a pair that is free: hawser doctor --only foreign-router-id --virtual-router-ids API,INGRESS; set it as keepalived.virtualRouterIds on every node of this cluster, or have the other one changed';
const NAME_PEERS = 'if it is a node of this cluster: --servers HOST=IP,… names them';
const remedies: Readonly<Record<RouterIdConflict['kind'], string>> = {
  id: TRY_OTHERS,
  vip: "nodes with different ids ignore each other's adverts, and both hold the VIP: set the same --cluster-name or --virtual-router-ids on every node (hawser show-config keepalived shows them on the other one)",
  version: "VRRP 2 and 3 ignore each other's adverts, and both hold the VIP: stop keepalived there",
};

interface ForeignFacts {
  readonly segment: Pick<Segment, 'ids' | 'watched' | 'foreign' | 'peers' | 'own'>;
}

export function judgeForeign({ segment: heard }: ForeignFacts): readonly Finding[] {
  const { ids, watched, foreign, peers, own } = heard;
  const unclear = ids.flatMap((each) => (each.kind === 'unknown' ? each : []));
  if (watched.length === 0) return unclear;
  const conflicts = routerIdConflicts(
    watched,
    new Set([...own, ...(peers ?? []).map(({ address }) => address)]),
    foreign,
  );
  const used = [...new Set(watched.map(({ virtualRouterId }) => virtualRouterId))].join(', ');
  if (conflicts.length === 0)
    return [ok(`id ${used}: no other router used it or its VIP within ${LISTEN_MS / 1_000} s`), ...unclear];
  return conflicts.map((each) => {
    const whose = each.kind === 'id' && peers === undefined ? `; ${NAME_PEERS}` : '';
    return fail(conflictText(each), `${remedies[each.kind]}${whose}`);
  });
}

function conflictText({ kind, ours, theirs }: RouterIdConflict): string {
  const by = `${theirs.source} advertises ${theirs.vip} (VRRP ${theirs.version}, priority ${theirs.priority})`;
  return kind !== 'vip'
    ? `${by} with virtual router id ${ours.virtualRouterId}, that of our ${ours.vip} on ${ours.interface}`
    : `${by} with virtual router id ${theirs.virtualRouterId}, while this node uses id ${ours.virtualRouterId} for it on ${ours.interface}`;
}

export const foreignRouter: Check<VipContext> = checkOf({
  id: 'foreign-router-id',
  title: 'Virtual router id conflicts',
  why: 'Two clusters with the same id interfere; two ids for one VIP cause two holders. A node that detects either does not join.',
  isFirst: true,
  listenMs: LISTEN_MS,
  needs: { vips, segment },
  none: NO_VIP,
  judge: judgeForeign,
});

interface HolderFacts {
  readonly vips: readonly string[];
  readonly segment: Pick<Segment, 'asked' | 'holders' | 'peers'>;
  readonly held: ReadonlyMap<string, readonly string[]>;
  readonly keepalived: KeepalivedState;
}

export function judgeHolders(facts: HolderFacts): readonly Finding[] {
  return facts.vips.map((vip) => judgeHolder(vip, facts));
}

function judgeHolder(vip: string, { segment: heard, held: here, keepalived }: HolderFacts): Finding {
  const on = here.get(vip) ?? [];
  const { peers } = heard;
  const others = heard.holders(vip);
  const named = others.map(({ mac, node }) => (node ? `${node.name} (${mac})` : mac)).join(' and ');
  const mine = `${vip} is on ${on.join(', ')} of this node`;
  if (on.length > 0 && others.length > 0)
    return fail(
      `${mine}, and ${named} answers for it too`,
      "hawser status, on every node; remove the address from the host outside the group (ip neigh; the switch's table)",
    );
  if (on.length > 0) return ok(mine);
  if (!heard.asked.has(vip)) return unknown(`${vip}: the interface to ask on is unknown`, '--interface NAME');
  if (others.length === 0) return judgeSilence(vip, keepalived);
  if (others.length > 1)
    return fail(
      `${named} answer for ${vip}`,
      'if the VIP did not just move: hawser keepalived status, on both; remove the address from a host outside the group',
    );
  if (others.every(({ node }) => node !== undefined)) return ok(`${vip} is held by ${named}`);
  const found = `${named} answers for ${vip}`;
  return peers === undefined || peers.length === 0
    ? warn(
        `${found}, and it is unknown whether it is one of ours`,
        'name the nodes (--servers HOST=IP,… or --kubeconfig) and try again',
      )
    : fail(
        `${found} and is not one of ${peers.map(({ name }) => name).join(', ')}`,
        `find it (ip neigh; the switch's table), take the address from it, or choose another VIP`,
      );
}

/** An address that no host has is free only before an install. */
function judgeSilence(vip: string, keepalived: KeepalivedState): Finding {
  const found = `no host answers for ${vip}`;
  if (keepalived === 'not-installed') return ok(`${found}: it is free`);
  return keepalived === 'unreachable'
    ? unknown(`${found}, and the keepalived supervisor of this node cannot be asked`, SEE)
    : fail(found, 'hawser keepalived status, on every node: each says why it does not hold it');
}

export const vipHolder: Check<VipContext> = checkOf({
  id: 'vip-holder',
  title: 'Holders of the VIP',
  why: 'Two holders split the clients between them; a foreign host with the address makes the API unreachable.',
  listenMs: LISTEN_MS,
  needs: { vips, segment, held, keepalived },
  judge: judgeHolders,
});
