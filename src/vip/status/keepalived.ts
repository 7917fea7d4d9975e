import {
  changeFacts,
  type Detail,
  type Fact,
  failureFacts,
  hashLines,
  type NodeEntry,
  type Section,
  type StatusLabel,
  shortHash,
  statusLabel,
  styled,
} from '../../engine/examine/section.ts';
import type { ClusterNode } from '../../engine/examine/seen.ts';
import { ageText, countText } from '../../engine/system/text/readable-text.ts';
import type { VrrpStatus as Supervisor } from '../../keepalived/supervise/vrrp-status.ts';
import { vipKindText } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorStatus as Monitor } from '../settings/keepalived-monitor-status.ts';
import type { VipCluster, VipNode, VipPriority } from './vip-holders.ts';

/** The section with keepalived's process, the cluster, and the last change and failure. */
export function keepalivedSection({ node, keepalivedSupervisor, keepalivedMonitor }: VipNode): Section {
  return {
    id: 'keepalived',
    title: `keepalived on ${node}`,
    place: 'right',
    parts: [
      {
        summary: summaryOf(keepalivedSupervisor),
        facts: [
          ...processFacts(keepalivedSupervisor),
          ...failureFacts(keepalivedSupervisor),
          ...clusterFacts(keepalivedMonitor),
          ...changeFacts(keepalivedMonitor?.lastChange),
        ],
      },
    ],
  };
}

const PHASES: Readonly<Record<Supervisor['phase'], StatusLabel>> = {
  'waiting-for-configuration': statusLabel('warn', 'waits for a configuration'),
  starting: statusLabel('busy', 'starting'),
  running: statusLabel('good', 'running'),
  down: statusLabel('bad', 'down'),
  stopping: statusLabel('warn', 'stopping'),
  stopped: statusLabel('bad', 'stopped'),
};

function summaryOf(supervisor: Supervisor | null): StatusLabel {
  if (supervisor === null) return statusLabel('unknown', 'its supervisor does not answer');
  const { phase, wanted, current } = supervisor;
  return wanted === 'down' && current === null ? statusLabel('bad', 'stopped on request') : PHASES[phase];
}

function processFacts(supervisor: Supervisor | null): readonly Fact[] {
  if (!supervisor?.current) return [];
  const { current, restarts } = supervisor;
  const { pid, ageMs, configSha256 } = current;
  const text = `pid ${pid} for ${ageText(ageMs)}, ${countText(restarts, 'restart')}, configuration ${shortHash(configSha256)}`;
  return [{ name: 'Process', text }];
}

function clusterFacts(monitor: Monitor | null): readonly Fact[] {
  if (monitor === null) return [];
  return [{ name: 'Cluster', text: monitor.clusterName ?? 'unknown: no kubeconfig yet' }];
}

/** A node's entry: the VIPs that it holds, the results of its checks, and the configuration of its keepalived. */
export function keepalivedEntry({ name, status }: ClusterNode<VipNode>, { vips }: VipCluster): NodeEntry {
  const holds = vips.filter(({ holders }) => holders.includes(name)).map(({ vip }) => vip);
  const { keepalivedMonitor = null, keepalivedSupervisor = null } = status ?? {};
  return {
    address: keepalivedMonitor?.group.find(({ self }) => self)?.address,
    cells: [holds.map((vip) => styled('line', styled('unit', 'holds '), vip))],
    configurations: hashLines('keepalived.conf', keepalivedSupervisor?.current?.configSha256),
    details: checkDetails(keepalivedMonitor?.priorities ?? []),
  };
}

type Check = VipPriority['checks'][number];

const STATES: Readonly<Record<Check['state'], StatusLabel>> = {
  ok: statusLabel('good', 'good'),
  doubtful: statusLabel('warn', 'doubtful'),
  failed: statusLabel('bad', 'failed'),
  unknown: statusLabel('unknown', 'unknown'),
};

/** The checks as details. With two kinds of VIP the name contains the kind, because both kinds check the other nodes. */
function checkDetails(priorities: readonly VipPriority[]): readonly Detail[] {
  const isMixed = new Set(priorities.map(({ kind }) => kind)).size > 1;
  return priorities.flatMap(({ kind, checks }) =>
    checks.map((check) => {
      const detail = checkDetail(check);
      return isMixed ? { ...detail, name: `${vipKindText[kind]}, ${detail.name}` } : detail;
    }),
  );
}

function checkDetail({ check, state, message, sinceMs }: Check): Detail {
  return {
    name: check,
    state: STATES[state],
    message,
    age: sinceMs === null ? null : `for ${ageText(sinceMs)}`,
  };
}
