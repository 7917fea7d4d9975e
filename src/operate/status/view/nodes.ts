import {
  type Detail,
  listText,
  type Piece,
  type Row,
  type Section,
  type StatusLabel,
  shortHash,
  statusLabel,
  styled,
  type Table,
} from '../../../engine/examine/section.ts';
import { ageText, countText } from '../../../engine/system/text/readable-text.ts';
import { type ClusterStatus, type NodeStatus, programNames } from '../node-status.ts';

type Peer = ClusterStatus['peers'][number];
type Check = NonNullable<NodeStatus['keepalivedMonitor']>['priorities'][number]['checks'][number];

/** What each node says of itself, or else what is seen of it from here. */
export function nodesSection(status: ClusterStatus): Section {
  const { here, peers } = status;
  const self = here.keepalivedMonitor?.group.find((each) => each.self);
  const rows = [
    nodeRow(status, { name: here.node, address: self?.address, said: here, peer: undefined }),
    ...peers.map((peer) => nodeRow(status, { ...peer, said: peer.published, peer })),
  ];
  const columns = {
    ...{ Node: 'name', Programs: 'how', HAProxy: 'haproxy', Holds: 'holds' },
    ...{ 'Runs on': 'hashes', Checks: 'checks' },
  };
  const table: Table = { label: 'Nodes', style: 'node-list', noun: 'Node', lead: 'name', columns, rows };
  return { id: 'nodes', title: 'Nodes', place: 'wide', parts: [{ tables: [table] }] };
}

interface Known {
  readonly name: string;
  readonly address: string | undefined;
  readonly said: NodeStatus | null;
  /** Undefined for this node. */
  readonly peer: Peer | undefined;
}

function nodeRow({ vips, here }: ClusterStatus, { name, address, said, peer }: Known): Row {
  const told = vips.filter(({ holders }) => holders.includes(name)).map(({ vip }) => vip);
  const holds = [...new Set([...told, ...(peer?.observed.holds ?? [])])];
  const checks = said?.keepalivedMonitor?.priorities.flatMap((each) => each.checks) ?? [];
  return {
    name: [name],
    aside: [
      ...(address === undefined ? [] : [styled('mono', address)]),
      ...(peer === undefined ? [`${address === undefined ? '' : ', '}this node`] : []),
    ],
    cells: [
      said === null ? silenceOf(peer) : programsOf(said),
      [
        styled('unit', 'HAProxy '),
        said === null ? HEALTH[peer?.observed.health ?? 'not-asked'] : haproxyOf(said),
      ],
      holds.map((vip) => styled('line', styled('unit', 'holds '), styled('mono', vip))),
      said === null ? [] : configurationsOf(said, here),
    ],
    details: checks.map(checkDetail),
  };
}

function silenceOf(peer: Peer | undefined): readonly Piece[] {
  const adverts = peer?.observed.adverts === 'arrive' ? [styled('note', 'its adverts arrive')] : [];
  return [statusLabel('unknown', peer?.problem ?? 'publishes nothing'), ...adverts];
}

function programsOf(node: NodeStatus): readonly Piece[] {
  const notes = node.programs.flatMap(({ name, state, address, problem }) =>
    state === 'answers' ? [] : styled('note', `${[name, address].filter(Boolean).join(' at ')}: ${problem}`),
  );
  return [answersOf(node), ...notes];
}

function answersOf({ programs }: NodeStatus): StatusLabel {
  const silent = programs.filter(({ state }) => state === 'silent');
  const asked = programs.filter(({ state }) => state !== 'not-asked');
  if (asked.length === 0) return statusLabel('unknown', 'no program was asked');
  if (silent.length === asked.length) return statusLabel('bad', 'no program answers');
  const names = listText(silent.map(({ name }) => name));
  if (silent.length > 0) return statusLabel('bad', `${names} ${silent.length === 1 ? 'is' : 'are'} silent`);
  const isAll = asked.length === programNames.length;
  return statusLabel('good', `${isAll ? 'all programs' : countText(asked.length, 'program')} answer`);
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

function checkDetail({ check, state, found, sinceMs }: Check): Detail {
  return {
    name: check,
    state: STATES[state],
    found,
    age: sinceMs === null ? null : `for ${ageText(sinceMs)}`,
  };
}

/** haproxy.cfg is the same on every node that knows the same servers; keepalived.conf is each node's own. */
function configurationsOf(node: NodeStatus, here: NodeStatus): readonly Piece[] {
  const [haproxy, ours] = [node, here].map((each) => each.haproxySupervisor?.current?.configSha256);
  const keepalived = node.keepalivedSupervisor?.current?.configSha256;
  const isOther = haproxy !== ours && ours !== undefined;
  return [
    ...(haproxy === undefined ? [] : [hashLine('haproxy.cfg', haproxy, isOther)]),
    ...(keepalived === undefined ? [] : [hashLine('keepalived.conf', keepalived, false)]),
  ];
}

function hashLine(name: string, sha256: string, isOther: boolean): Piece {
  const hash = [styled('aside', `${name} `), styled('mono', shortHash(sha256))];
  return styled('line', ...hash, ...(isOther ? [styled('aside', ', not this node’s')] : []));
}

const HEALTH: Readonly<Record<Peer['observed']['health'], StatusLabel>> = {
  ready: statusLabel('good', 'ready'),
  'not-ready': statusLabel('bad', 'not ready'),
  'no-answer': statusLabel('bad', 'does not answer'),
  'not-asked': statusLabel('unknown', 'not asked'),
};
