import { ageText } from '../../../engine/system/text/readable-text.ts';
import type { ClusterStatus, NodeStatus } from '../../status/node-status.ts';
import { listText, type StatusLabel, statusLabel } from './status-label.ts';

export interface VipView {
  readonly vip: string;
  readonly kind: 'api' | 'ingress';
  readonly holder: StatusLabel;
  /** `3 h`; null where that is not known. */
  readonly heldFor: string | null;
  /** Why it went there, or what else is known of it. */
  readonly why: readonly string[];
  readonly ranks: readonly RankView[];
}

/** What a node is worth for a VIP, and how that comes about. */
export interface RankView {
  readonly node: string;
  readonly state: StatusLabel;
  /** In the order in which they are added. Empty where the node has not said. */
  readonly addends: readonly { readonly points: number; readonly why: string }[];
  /** Null where it is not known. */
  readonly priority: number | null;
  /** Why there is less to say of it than of others, or what an operator has asked for. */
  readonly notes: readonly string[];
}

export function vipViews(status: ClusterStatus): readonly VipView[] {
  return status.vips.map((vip) => ({
    vip: vip.vip,
    kind: vip.kind,
    holder: holderOf(vip.holders),
    heldFor: heldFor(status, vip),
    why: whyOf(status, vip),
    ranks: ranksOf(status, vip),
  }));
}

type Vip = ClusterStatus['vips'][number];
type Peer = ClusterStatus['peers'][number];
type VipPriority = NonNullable<NodeStatus['keepalivedMonitor']>['priorities'][number];

function holderOf(holders: readonly string[]): StatusLabel {
  if (holders.length === 0) return statusLabel('bad', 'no holder seen');
  return holders.length === 1
    ? statusLabel('good', `held by ${holders[0]}`)
    : statusLabel('bad', `held by ${listText(holders)} at once`);
}

function heldFor(status: ClusterStatus, { vip, holders }: Vip): string | null {
  const [holder] = holders;
  if (holder === undefined || holders.length > 1) return null;
  const node = nodesOf(status).find(({ name }) => name === holder)?.said;
  const instance = node && instanceOf(node, vip);
  return instance?.state === 'MASTER' ? ageText(instance.sinceMs) : null;
}

/** The sums of the nodes stand in the table: what is left to say is what made the VIP move. */
function whyOf(status: ClusterStatus, { vip, holders, why }: Vip): readonly string[] {
  const nodes = nodesOf(status).flatMap(({ said: node }) => node ?? []);
  const moves = nodes.flatMap((node) => {
    const move = node.keepalivedSupervisor?.lastTransition;
    const isItsOwn = holders.includes(node.node) && instanceOf(node, vip)?.name === move?.instance;
    return move && isItsOwn ? [`${node.node} was ${move.from} before: ${move.reason}`] : [];
  });
  return nodes.some((node) => priorityFor(node, vip) !== undefined) ? moves : why;
}

function priorityFor(node: NodeStatus, vip: string): VipPriority | undefined {
  return node.keepalivedMonitor?.priorities.find(({ vips }) => vips.includes(vip));
}

/** The highest first; those that say nothing of themselves last. */
function ranksOf(status: ClusterStatus, vip: Vip): readonly RankView[] {
  const ranks = nodesOf(status).flatMap(({ name, said: node, peer }) => {
    const vipPriority = node === null ? undefined : priorityFor(node, vip.vip);
    if (node !== null && vipPriority !== undefined) return [rankOf(node, vipPriority, vip)];
    if (vip.kind === 'ingress' && !vip.holders.includes(name)) return [];
    return [seenFromHere(status, name, vip, node, peer)];
  });
  return ranks.toSorted((a, b) => (b.priority ?? -1) - (a.priority ?? -1));
}

interface Known {
  readonly name: string;
  readonly said: NodeStatus | null;
  /** Undefined for this node. */
  readonly peer: Peer | undefined;
}

function nodesOf({ here, peers }: ClusterStatus): readonly Known[] {
  return [
    { name: here.node, said: here, peer: undefined },
    ...peers.map((peer) => ({ name: peer.name, said: peer.published, peer })),
  ];
}

function rankOf(node: NodeStatus, vipPriority: VipPriority, { vip, holders }: Vip): RankView {
  return {
    node: node.node,
    state: stateOf(instanceOf(node, vip)?.state, holders.includes(node.node)),
    addends: vipPriority.arithmetic,
    priority: vipPriority.priority,
    notes: [
      ...vipPriority.checks
        .filter(({ state }) => state !== 'ok')
        .map(({ check, found }) => `${check}: ${found}`),
      ...(vipPriority.steered === null ? [] : [vipPriority.steered]),
    ],
  };
}

/** Of a node that does not say what it is worth: what the others know of it. */
function seenFromHere(
  { here }: ClusterStatus,
  name: string,
  { vip, holders }: Vip,
  node: NodeStatus | null,
  peer: Peer | undefined,
): RankView {
  const instance = node === null ? undefined : instanceOf(node, vip);
  const place = here.keepalivedMonitor?.group.find((each) => each.name === name);
  return {
    node: name,
    state: stateOf(instance?.state, holders.includes(name)),
    addends: place === undefined ? [] : [{ points: place.priority, why: 'its place in the list' }],
    priority: instance?.priority ?? null,
    notes: [peer === undefined ? timeoutReason(here) : noteOn(peer)],
  };
}

/** Why this node does not say what it is worth. */
function timeoutReason({ programs }: NodeStatus): string {
  const monitor = programs.find(({ name }) => name === 'keepalived-monitor');
  return monitor?.state === 'not-asked'
    ? 'keepalived-monitor was not asked'
    : 'keepalived-monitor does not answer';
}

const HEALTH: Readonly<Record<Peer['observed']['health'], string>> = {
  ready: 'seen from here: its HAProxy is ready',
  'not-ready': 'seen from here: its HAProxy is not ready',
  'no-answer': 'seen from here: its HAProxy does not answer',
  'not-asked': 'not looked at from here',
};

function noteOn({ problem, observed }: Peer): string {
  return [HEALTH[observed.health], ...(problem === null ? [] : [problem])].join('; ');
}

function instanceOf({ keepalivedSupervisor }: NodeStatus, vip: string) {
  return keepalivedSupervisor?.instances.find(({ vips }) => vips.some(({ address }) => address === vip));
}

type InstanceState = NonNullable<NodeStatus['keepalivedSupervisor']>['instances'][number]['state'];

const STATES: Readonly<Record<InstanceState, StatusLabel>> = {
  MASTER: statusLabel('good', 'holder'),
  BACKUP: statusLabel('idle', 'backup'),
  FAULT: statusLabel('bad', 'fault'),
  STOP: statusLabel('bad', 'stopped'),
  UNKNOWN: statusLabel('unknown', 'not known'),
};

function stateOf(state: InstanceState | undefined, isHolder: boolean): StatusLabel {
  if (state !== undefined) return STATES[state];
  return isHolder ? statusLabel('good', 'holder') : statusLabel('unknown', 'not known');
}
