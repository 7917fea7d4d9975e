import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts, haproxySupervisor } from '../../cli/shared-flags.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import {
  changeFacts,
  type Fact,
  failureFacts,
  hashLines,
  type NodeEntry,
  type Row,
  type Section,
  type StatusLabel,
  shortHash,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import type { ClusterNode, SeenCluster, SeenPeer } from '../../engine/examine/seen.ts';
import { endpointOf } from '../../engine/kube/api-server.ts';
import { ageText, limitText } from '../../engine/system/text/readable-text.ts';
import {
  type SupervisorStatus as Supervisor,
  supervisorStatusSchema,
} from '../../haproxy/supervise/supervisor-status.ts';
import {
  haproxyMonitorStatusSchema,
  type HaproxyMonitorStatus as Monitor,
} from '../haproxy-monitor-status.ts';
import { askStatistics, extraRowsSchema, serverRowSchema } from '../server-rows.ts';
import { type ApiLbNode, hasMonitor } from './api-lb-node.ts';
import { extraPortFacts } from './extra-ports.ts';
import { haproxyProblems } from './problems.ts';
import { serversSection, sessionsCell } from './servers.ts';

type Limits = Parameters<typeof askStatistics>[1];
type Statistics = Awaited<ReturnType<typeof askStatistics>>;

/** The API load balancer's section of `hawser status`. */
export const apiLbStatus = {
  inputs: {
    home: { kind: 'node' as const, onWorkers: true },
    programs: [
      {
        name: 'haproxy-supervisor',
        field: 'haproxySupervisor',
        schema: supervisorStatusSchema,
        page: haproxySupervisor,
      },
      {
        name: 'haproxy-monitor',
        field: 'haproxyMonitor',
        schema: haproxyMonitorStatusSchema,
        page: flag(
          '<address:port>',
          optionalListenAddress,
          'address of the HAProxy monitor\'s page, or "off" (settings: haproxy.listen)',
          { default: `127.0.0.1:${defaultPorts.haproxyMonitor}`, keyInFile: ['haproxy', 'listen'] },
        ),
      },
    ],
    others: {
      schema: {
        servers: z.nullable(z.array(serverRowSchema)),
        extraPorts: z.exactOptional(z.array(extraRowsSchema)),
      },
      read: async (statPort: number, limits: Limits) => await askStatistics(statPort, limits),
      fields: serverFields,
      isThere: ({ servers }: ApiLbNode) => servers !== null,
    },
    group: (here: ApiLbNode) => ({ peers: serverNodes(here) }),
  },
  section: ({ here }: SeenCluster<ApiLbNode>) => ({
    sections: [...(hasMonitor(here) ? [serversSection(here)] : []), haproxySection(here)],
    nodes: { columns: { HAProxy: 'haproxy' }, entry: haproxyEntry },
  }),
  problems: ({ here }: SeenCluster<ApiLbNode>) => haproxyProblems(here),
};

/** The servers from HAProxy's statistics. Takes an address from the monitor if a custom template does not enable addresses in the statistics. */
function serverFields(
  statistics: Statistics,
  { haproxyMonitor }: ApiLbNode,
): Pick<ApiLbNode, 'servers' | 'extraPorts'> {
  if (statistics.kind !== 'servers') return { servers: null };
  const servers = statistics.servers.map((server) => {
    const listed = haproxyMonitor?.servers?.find(({ name }) => name === server.name);
    const isComplete = server.address !== '' || listed === undefined;
    return isComplete ? server : { ...server, address: endpointOf(listed) };
  });
  const { extraPorts } = statistics;
  return { servers, ...(extraPorts.length > 0 && { extraPorts }) };
}

/** The nodes of the API servers. In a correct cluster these are also the nodes of the VIP's group. */
function serverNodes({ haproxyMonitor, servers }: ApiLbNode): readonly Peer[] {
  const nodes = haproxyMonitor?.servers ?? servers ?? [];
  return nodes
    .map(({ name, address }) => ({ name, address: hostOf(address) }))
    .filter(({ address }) => address !== '');
}

/** The host of `10.0.0.11:6443`, `[fd00::b]:6443` or a bare address. */
function hostOf(address: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}

/** Generations, the redirect, and the last change and failure. */
function haproxySection(here: ApiLbNode): Section {
  const { node, haproxySupervisor, haproxyMonitor } = here;
  const generations = haproxySupervisor === null ? [] : generationRows(haproxySupervisor);
  return {
    id: 'haproxy',
    title: `HAProxy on ${node}`,
    place: 'right',
    parts: [
      {
        summary: summaryOf(haproxySupervisor),
        tables: [
          {
            label: 'Generations of HAProxy',
            columns: {
              Generation: 'name',
              State: 'how',
              For: 'age',
              'Runs on, or ends': 'check',
              Sessions: 'number',
            },
            lead: 'state',
            rows: generations,
          },
        ],
        facts: [
          ...(hasMonitor(here) ? [redirectFact(haproxyMonitor)] : []),
          ...extraPortFacts(here),
          ...failureFacts(haproxySupervisor),
          ...changeFacts(haproxyMonitor?.lastChange),
        ],
      },
    ],
  };
}

const PHASES: Readonly<Record<Supervisor['phase'], StatusLabel>> = {
  'waiting-for-configuration': statusLabel('warn', 'waits for a configuration'),
  starting: statusLabel('busy', 'starting'),
  serving: statusLabel('good', 'serving'),
  stopping: statusLabel('warn', 'stopping'),
  stopped: statusLabel('bad', 'stopped'),
};

function summaryOf(supervisor: Supervisor | null): StatusLabel {
  if (supervisor === null) return statusLabel('unknown', 'its supervisor does not answer');
  return supervisor.current?.config === 'last-good'
    ? statusLabel('warn', 'serving the last good configuration')
    : PHASES[supervisor.phase];
}

function generationRows({ current, draining }: Supervisor): readonly Row[] {
  return [
    ...(current === null
      ? []
      : [generationRow(current, statusLabel('good', 'serving'), configurationText(current))]),
    ...draining.map((each) => {
      const { terminateInMs, sent, reason } = each;
      const ends = `ends within ${limitText(terminateInMs)} (now: ${sent}): ${reason}`;
      return generationRow(each, statusLabel('busy', 'draining'), ends);
    }),
  ];
}

function configurationText({ config, configSha256 }: NonNullable<Supervisor['current']>): string {
  const name = config === 'live' ? 'configuration' : 'LAST GOOD configuration';
  return `${name} ${shortHash(configSha256)}`;
}

function generationRow(
  { generation, ageMs, sessions }: Pick<Supervisor['draining'][number], 'generation' | 'ageMs' | 'sessions'>,
  state: StatusLabel,
  note: string,
): Row {
  return {
    name: [styled('unit', 'generation '), `${generation}`],
    cells: [[state], [styled('unit', 'for '), ageText(ageMs)], [note], sessionsCell(sessions)],
  };
}

const REDIRECTS: Readonly<Record<Monitor['redirect'], StatusLabel>> = {
  present: statusLabel('good', 'present: the VIP leads to HAProxy'),
  absent: statusLabel('warn', 'absent: the VIP leads to the local API server'),
  failed: statusLabel('bad', 'failed'),
  off: statusLabel('idle', 'off: there is no VIP to redirect'),
};

function redirectFact(monitor: Monitor | null): Fact {
  const name = 'Redirect';
  if (monitor === null)
    return { name, state: statusLabel('unknown', 'unknown: haproxy-monitor does not answer') };
  const { redirect, redirectProblem, usable } = monitor;
  const isUnproven = redirect === 'absent' && usable !== true;
  const text = redirectProblem ?? (isUnproven ? 'HAProxy has not reported a usable server' : undefined);
  return { name, state: REDIRECTS[redirect], ...(text !== undefined && { text }) };
}

/** Whether a node's HAProxy can serve clients, and the hash of its configuration. */
function haproxyEntry({ status, peer }: ClusterNode<ApiLbNode>): NodeEntry {
  const label = peer === undefined ? labelOf(status) : HEALTH[peer.health];
  return {
    cells: [[styled('unit', 'HAProxy '), label]],
    configurations: hashLines('haproxy.cfg', status?.haproxySupervisor?.current?.configSha256),
  };
}

function labelOf(status: ApiLbNode | null): StatusLabel {
  const { haproxyMonitor, haproxySupervisor = null } = status ?? {};
  if (haproxyMonitor?.usable === true) return statusLabel('good', 'usable');
  if (haproxyMonitor?.usable === false) return statusLabel('bad', 'not usable');
  if (haproxySupervisor?.current) return statusLabel('good', 'serving');
  return haproxySupervisor === null ? statusLabel('unknown', 'unknown') : statusLabel('bad', 'not serving');
}

const HEALTH: Readonly<Record<SeenPeer['health'], StatusLabel>> = {
  ready: statusLabel('good', 'ready'),
  'not-ready': statusLabel('bad', 'not ready'),
  'no-answer': statusLabel('bad', 'does not answer'),
};
