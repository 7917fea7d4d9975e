import { ageText, countText } from '../../../engine/system/text/readable-text.ts';
import { type ClusterStatus, type NodeStatus, programNames } from '../../status/node-status.ts';
import { shortHash } from './haproxy.ts';
import { listText, type StatusLabel, statusLabel } from './status-label.ts';

export interface NodeView {
  readonly name: string;
  /** Null where it is unknown. */
  readonly address: string | null;
  readonly isHere: boolean;
  /** What it says of itself. */
  readonly programs: StatusLabel;
  /** Those that do not answer, and why. */
  readonly silent: readonly string[];
  /** Whether its HAProxy would serve a client. */
  readonly haproxy: StatusLabel;
  readonly checks: readonly CheckView[];
  readonly holds: readonly string[];
  readonly configurations: readonly {
    readonly name: string;
    readonly hash: string;
    readonly isOther: boolean;
  }[];
}

export interface CheckView {
  readonly check: string;
  readonly state: StatusLabel;
  readonly found: string;
  readonly forLong: string | null;
}

type Peer = ClusterStatus['peers'][number];
type Check = NonNullable<NodeStatus['keepalivedMonitor']>['priorities'][number]['checks'][number];

export function nodeViews({ here, peers, vips }: ClusterStatus): readonly NodeView[] {
  const holds = (name: string, seen: readonly string[]): readonly string[] => {
    const told = vips.filter(({ holders }) => holders.includes(name)).map(({ vip }) => vip);
    return [...new Set([...told, ...seen])];
  };
  const self = here.keepalivedMonitor?.group.find((each) => each.self);
  return [
    {
      ...ofNode(here, here),
      ...{ name: here.node, address: self?.address ?? null, isHere: true, holds: holds(here.node, []) },
    },
    ...peers.map((peer) => ({
      ...(peer.published === null ? unpublished(peer) : ofNode(peer.published, here)),
      ...{ name: peer.name, address: peer.address, isHere: false },
      holds: holds(peer.name, peer.observed.holds),
    })),
  ];
}

type OfNode = Pick<NodeView, 'programs' | 'silent' | 'haproxy' | 'checks' | 'configurations'>;

function ofNode(node: NodeStatus, here: NodeStatus): OfNode {
  return {
    programs: programsOf(node),
    silent: node.programs
      .filter(({ state }) => state === 'silent')
      .map(({ name, problem }) => (problem === null ? name : `${name}: ${problem}`)),
    haproxy: haproxyOf(node),
    checks: (node.keepalivedMonitor?.priorities ?? []).flatMap(({ checks }) => checks.map(checkView)),
    configurations: configurationsOf(node, here),
  };
}

function programsOf({ programs }: NodeStatus): StatusLabel {
  const silent = programs.filter(({ state }) => state === 'silent');
  const asked = programs.filter(({ state }) => state !== 'not-asked');
  if (asked.length === 0) return statusLabel('unknown', 'no program was asked');
  if (silent.length === asked.length) return statusLabel('bad', 'no program answers');
  if (silent.length > 0)
    return statusLabel(
      'bad',
      `${listText(silent.map(({ name }) => name))} ${silent.length === 1 ? 'is' : 'are'} silent`,
    );
  const missing = programNames.length - asked.length;
  return statusLabel(
    'good',
    missing > 0 ? `${countText(asked.length, 'program')} answer` : 'all programs answer',
  );
}

function haproxyOf({ haproxyMonitor, haproxySupervisor }: NodeStatus): StatusLabel {
  if (haproxyMonitor?.usable === true) return statusLabel('good', 'usable');
  if (haproxyMonitor?.usable === false) return statusLabel('bad', 'not usable');
  if (haproxySupervisor?.current) return statusLabel('good', 'serving');
  return haproxySupervisor === null ? statusLabel('unknown', 'not known') : statusLabel('bad', 'not serving');
}

const STATES: Readonly<Record<Check['state'], StatusLabel>> = {
  ok: statusLabel('good', 'good'),
  doubtful: statusLabel('warn', 'doubtful'),
  failed: statusLabel('bad', 'failed'),
  unknown: statusLabel('unknown', 'not known'),
};

function checkView({ check, state, found, sinceMs }: Check): CheckView {
  return { check, state: STATES[state], found, forLong: sinceMs === null ? null : ageText(sinceMs) };
}

/** haproxy.cfg is the same on every node that knows the same servers; keepalived.conf is each node's own. */
function configurationsOf(node: NodeStatus, here: NodeStatus): NodeView['configurations'] {
  const [haproxy, ours] = [node, here].map((each) => each.haproxySupervisor?.current?.configSha256);
  const keepalived = node.keepalivedSupervisor?.current?.configSha256;
  const isOther = haproxy !== ours && ours !== undefined;
  return [
    ...(haproxy === undefined ? [] : [{ name: 'haproxy.cfg', hash: shortHash(haproxy), isOther }]),
    ...(keepalived === undefined
      ? []
      : [{ name: 'keepalived.conf', hash: shortHash(keepalived), isOther: false }]),
  ];
}

const HEALTH: Readonly<Record<Peer['observed']['health'], StatusLabel>> = {
  ready: statusLabel('good', 'ready'),
  'not-ready': statusLabel('bad', 'not ready'),
  'no-answer': statusLabel('bad', 'does not answer'),
  'not-asked': statusLabel('unknown', 'not asked'),
};

function unpublished({ problem, observed }: Peer): OfNode {
  return {
    programs: statusLabel('unknown', problem ?? 'publishes nothing'),
    ...{ silent: [], checks: [], configurations: [] },
    haproxy: HEALTH[observed.health],
  };
}
