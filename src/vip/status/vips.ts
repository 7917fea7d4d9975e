import {
  type Fact,
  listText,
  notAskedFacts,
  type Part,
  type Row,
  type Section,
  type StatusLabel,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import { allNodes, type KnownNode, type SeenPeer } from '../../engine/examine/seen.ts';
import { isNotAsked, whyNotAsked } from '../../engine/peers/peer-question.ts';
import { ageText } from '../../engine/system/text/readable-text.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import { priorityFor, type VipPriority } from './priority-text.ts';
import { instanceOf, instanceText } from './vip-holders.ts';
import type { Vip, VipCluster, VipNode } from './vip-node.ts';

type Peer = SeenPeer<VipNode>;

const none: Part = {
  summary: statusLabel(
    'unknown',
    'No VIP is known: none is configured, or the programs that know it do not answer',
  ),
};

/** The holder of each VIP, and the priorities that made it the holder. */
export function vipsSection(status: VipCluster): Section {
  const notes = notAskedFacts(status.here.node, whyNotAsked(status.peers));
  const parts = status.vips.map((vip, index) =>
    vipPart(status, vip, index === status.vips.length - 1 ? notes : []),
  );
  return {
    ...{ id: 'vips', title: 'Virtual IPs', place: 'left' },
    parts: parts.length === 0 ? [none] : parts,
  };
}

const KINDS: Readonly<Record<Vip['kind'], string>> = { api: 'Kubernetes API', ingress: 'Ingress' };

function vipPart(status: VipCluster, vip: Vip, notes: readonly Fact[]): Part {
  return {
    title: { noun: 'VIP', name: vip.vip, aside: KINDS[vip.kind] },
    summary: holderOf(vip.holders),
    age: heldFor(status, vip),
    tables: [
      {
        ...{ label: `Priorities of the nodes for ${vip.vip}`, style: 'ranks' },
        columns: { Node: 'name', State: 'how', 'What it is worth': 'sum', Priority: 'number' },
        ...{ lead: 'state', rows: rankRows(status, vip) },
      },
    ],
    facts: [...whyOf(status, vip).map((text) => ({ name: 'Why', text })), ...notes],
  };
}

function holderOf(holders: readonly string[]): StatusLabel {
  if (holders.length === 0) return statusLabel('bad', 'no holder seen');
  return holders.length === 1
    ? statusLabel('good', `held by ${holders[0]}`)
    : statusLabel('bad', `held by ${listText(holders)} at once`);
}

function heldFor(status: VipCluster, { vip, holders }: Vip): string | null {
  const [holder] = holders;
  if (holder === undefined || holders.length > 1) return null;
  const node = allNodes(status).find(({ name }) => name === holder)?.said;
  const instance = node && instanceOf(node, vip);
  return instance?.state === 'MASTER' ? ageText(instance.sinceMs) : null;
}

/** What made the VIP move: of its holders, and of this node. The sums of the nodes stand in the table. */
function whyOf(status: VipCluster, { vip, holders }: Vip): readonly string[] {
  return allNodes(status).flatMap(({ name, said, peer }) => {
    const isMeant = said !== null && (holders.includes(name) || peer === undefined);
    const move = said?.keepalivedSupervisor?.lastTransition;
    const instance = isMeant ? instanceOf(said, vip) : undefined;
    return move && instance?.name === move.instance ? [instanceText(name, instance, move)] : [];
  });
}

/** The highest first; those that say nothing of themselves last. */
function rankRows(status: VipCluster, vip: Vip): readonly Row[] {
  const ranks = allNodes(status).flatMap((node) => rankOf(status, vip, node));
  return ranks.toSorted((a, b) => (b.priority ?? -1) - (a.priority ?? -1)).map(({ row }) => row);
}

/** What a node is worth for a VIP and how that comes about: in its own words, or else as far as it is known here. */
function rankOf({ here }: VipCluster, { vip, kind, holders }: Vip, { name, said, peer }: KnownNode<VipNode>) {
  const own = said === null ? undefined : priorityFor(said, vip);
  const isHolder = holders.includes(name);
  if (own === undefined && kind === 'ingress' && !isHolder) return [];
  const instance = said === null ? undefined : instanceOf(said, vip);
  const place = here.keepalivedMonitor?.group.find((each) => each.name === name);
  const known = place === undefined ? [] : [{ points: place.priority, why: 'its place in the list' }];
  const sum = (own?.arithmetic ?? known).map(({ points, why }, index) =>
    styled('addend', styled('points', signed(points, index === 0)), ` (${why}) `),
  );
  const other = peer === undefined ? silenceOf(here) : noteOn(peer);
  const notes = own === undefined ? [other] : notesOn(own, instance?.hearsHolder === true);
  const priority = own?.priority ?? instance?.priority ?? null;
  const value = priority === null ? styled('aside', 'not known') : `${priority}`;
  const cells = [
    [stateOf(instance?.state, isHolder, isNotAsked(peer?.problem))],
    [...sum, ...notes.map((note) => styled('note', note))],
    [styled('unit', 'priority '), value],
  ];
  return [{ priority, row: { name: [name], cells } }];
}

function notesOn({ checks, steered }: VipPriority, hearsHolder: boolean): readonly string[] {
  return [
    ...checks.filter(({ state }) => state !== 'ok').map(({ check, found }) => `${check}: ${found}`),
    ...(steered === null ? [] : [steered]),
    ...(hearsHolder ? ['the adverts of a holder arrive there'] : []),
  ];
}

/** `220` for the first, `+ 30` and `− 254` for the others. */
function signed(points: number, isFirst: boolean): string {
  if (points < 0) return `− ${-points}`;
  return isFirst ? `${points}` : `+ ${points}`;
}

/** Why this node does not say what it is worth. */
function silenceOf({ programs }: VipNode): string {
  const monitor = programs.find(({ name }) => name === 'keepalived-monitor');
  return `keepalived-monitor ${monitor?.state === 'not-asked' ? 'was not asked' : 'does not answer'}`;
}

const HEALTH: Readonly<Record<Peer['observed']['health'], string>> = {
  ready: 'seen from here: its HAProxy is ready',
  'not-ready': 'seen from here: its HAProxy is not ready',
  'no-answer': 'seen from here: its HAProxy does not answer',
  'not-asked': 'not looked at from here',
};

function noteOn({ problem, observed }: Peer): string {
  const adverts = observed.adverts === 'arrive' ? ['its adverts arrive'] : [];
  return [
    HEALTH[observed.health],
    ...adverts,
    ...(problem === null || isNotAsked(problem) ? [] : [problem]),
  ].join('; ');
}

type InstanceState = VrrpStatus['instances'][number]['state'];

const STATES: Readonly<Record<InstanceState, StatusLabel>> = {
  MASTER: statusLabel('good', 'holder'),
  BACKUP: statusLabel('idle', 'backup'),
  FAULT: statusLabel('bad', 'fault'),
  STOP: statusLabel('bad', 'stopped'),
  UNKNOWN: statusLabel('unknown', 'not known'),
};

function stateOf(state: InstanceState | undefined, isHolder: boolean, isUnasked: boolean): StatusLabel {
  if (state === 'MASTER' && !isHolder) return statusLabel('bad', 'MASTER, address not here');
  if (state !== undefined) return STATES[state];
  if (isHolder) return statusLabel('good', 'holder');
  return statusLabel(isUnasked ? 'idle' : 'unknown', 'not known');
}
