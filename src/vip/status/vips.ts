import {
  type Fact,
  listText,
  type Part,
  type Row,
  type Section,
  type StatusLabel,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import { allNodes, type ClusterNode, type SeenPeer } from '../../engine/examine/seen.ts';
import { ageText } from '../../engine/system/text/readable-text.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import { priorityFor, type Vip, type VipCluster, type VipNode, type VipPriority } from './vip-holders.ts';

const none: Part = {
  summary: statusLabel(
    'unknown',
    'No VIP: none is configured, or the programs that report VIPs do not answer',
  ),
};

/** The section with the holder of each VIP and the priorities of the nodes. */
export function vipsSection(status: VipCluster): Section {
  const parts = status.vips.map((vip) => vipPart(status, vip));
  return {
    id: 'vips',
    title: 'Virtual IPs',
    place: 'left',
    parts: parts.length === 0 ? [none] : parts,
  };
}

const KINDS: Readonly<Record<Vip['kind'], string>> = { api: 'Kubernetes API', ingress: 'Ingress' };

function vipPart(status: VipCluster, vip: Vip): Part {
  return {
    title: { noun: 'VIP', name: vip.vip, aside: KINDS[vip.kind] },
    summary: holderOf(vip.holders),
    age: heldFor(status.here, vip),
    tables: [
      {
        label: `Priorities of the nodes for ${vip.vip}`,
        columns: { Node: 'name', State: 'how', 'Priority terms': 'sum', Priority: 'number' },
        lead: 'state',
        rows: allNodes(status).flatMap((node) => rankOf(status, vip, node)),
      },
    ],
    facts: whyOf(status.here, vip),
  };
}

function holderOf(holders: readonly string[]): StatusLabel {
  if (holders.length === 0) return statusLabel('bad', 'no holder seen');
  return holders.length === 1
    ? statusLabel('good', `held by ${holders[0]}`)
    : statusLabel('bad', `held by ${listText(holders)} at once`);
}

/** How long this node has held the VIP. Null unless it is the only holder, as other nodes' times are unknown. */
function heldFor(here: VipNode, { vip, holders }: Vip): string | null {
  const instance = holders.length === 1 && holders[0] === here.node ? instanceOf(here, vip) : undefined;
  return instance?.state === 'MASTER' ? ageText(instance.sinceMs) : null;
}

/** The instance of a node's keepalived for a VIP. */
function instanceOf({ keepalivedSupervisor }: VipNode, vip: string) {
  return keepalivedSupervisor?.instances.find(({ vips }) => vips.some(({ address }) => address === vip));
}

/** `cp-1 is MASTER for 3 h (was BACKUP): no advert from a node with a higher priority`; empty if this node's last transition was another. */
function whyOf(here: VipNode, { vip }: Vip): readonly Fact[] {
  const move = here.keepalivedSupervisor?.lastTransition;
  const instance = instanceOf(here, vip);
  if (!move || instance?.name !== move.instance) return [];
  const now = `${here.node} has been ${instance.state} for ${ageText(instance.sinceMs)}`;
  return [{ name: 'Why', text: `${now} (was ${move.from}): ${move.reason}` }];
}

/** A node's priority for a VIP and its terms. For another node, only the base priority is known. */
function rankOf(
  { here }: VipCluster,
  { vip, kind, holders }: Vip,
  { name, status, peer }: ClusterNode<VipNode>,
): readonly Row[] {
  const own = status === null ? undefined : priorityFor(status, vip);
  const isHolder = holders.includes(name);
  if (own === undefined && kind === 'ingress' && !isHolder) return [];
  const instance = status === null ? undefined : instanceOf(status, vip);
  const place = here.keepalivedMonitor?.group.find((each) => each.name === name);
  const known = place === undefined ? [] : [{ points: place.priority, why: 'its place in the list' }];
  const sum = (own?.priorityTerms ?? known).map(
    ({ points, why }, index) => `${signed(points, index === 0)} (${why}) `,
  );
  const other = peer === undefined ? silenceOf(here) : HEALTH[peer.health];
  const notes = own === undefined ? [other] : notesOn(own, instance?.hearsHolder === true);
  const priority = own?.priority ?? instance?.priority ?? null;
  const value = priority === null ? styled('aside', 'unknown') : `${priority}`;
  const cells = [
    [stateOf(instance?.state, isHolder, peer !== undefined)],
    [...sum, ...notes.map((note) => styled('note', note))],
    [styled('unit', 'priority '), value],
  ];
  return [{ name: [name], cells }];
}

function notesOn({ checks, order }: VipPriority, hearsHolder: boolean): readonly string[] {
  return [
    ...checks.filter(({ state }) => state !== 'ok').map(({ check, message }) => `${check}: ${message}`),
    ...(order === null ? [] : [order]),
    ...(hearsHolder ? ['the adverts of a holder arrive here'] : []),
  ];
}

/** `220` for the first, `+ 30` and `− 254` for the others. */
function signed(points: number, isFirst: boolean): string {
  if (points < 0) return `− ${-points}`;
  return isFirst ? `${points}` : `+ ${points}`;
}

/** Why this node's priority is unknown. */
function silenceOf({ programs }: VipNode): string {
  const monitor = programs.find(({ name }) => name === 'keepalived-monitor');
  return `keepalived-monitor ${monitor?.state === 'not-asked' ? 'was not asked' : 'does not answer'}`;
}

const HEALTH: Readonly<Record<SeenPeer['health'], string>> = {
  ready: 'seen from here: its HAProxy is ready',
  'not-ready': 'seen from here: its HAProxy is not ready',
  'no-answer': 'seen from here: its HAProxy does not answer',
};

type InstanceState = VrrpStatus['instances'][number]['state'];

const STATES: Readonly<Record<InstanceState, StatusLabel>> = {
  MASTER: statusLabel('good', 'holder'),
  BACKUP: statusLabel('idle', 'backup'),
  FAULT: statusLabel('bad', 'fault'),
  STOP: statusLabel('bad', 'stopped'),
  UNKNOWN: statusLabel('unknown', 'unknown'),
};

function stateOf(state: InstanceState | undefined, isHolder: boolean, isPeer: boolean): StatusLabel {
  if (state === 'MASTER' && !isHolder) return statusLabel('bad', 'MASTER, address not here');
  if (state !== undefined) return STATES[state];
  if (isHolder) return statusLabel('good', 'holder');
  return statusLabel(isPeer ? 'idle' : 'unknown', 'unknown');
}
