import { changeFacts, failureFacts } from '../../engine/examine/facts.ts';
import {
  type Fact,
  type Section,
  type StatusLabel,
  shortHash,
  statusLabel,
} from '../../engine/examine/section.ts';
import { ageText, countText } from '../../engine/system/text/readable-text.ts';
import type { VrrpStatus as Supervisor } from '../../keepalived/supervise/vrrp-status.ts';
import type { KeepalivedMonitorStatus as Monitor } from '../settings/keepalived-monitor-status.ts';
import type { VipNode } from './vip-node.ts';

/** The process, its cluster, and what changed or failed last. */
export function keepalivedSection({ node, keepalivedSupervisor, keepalivedMonitor }: VipNode): Section {
  return {
    ...{ id: 'keepalived', title: `keepalived on ${node}`, place: 'right' },
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
  return wanted === 'down' && current === null ? statusLabel('bad', 'it was asked to stop') : PHASES[phase];
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
  return [{ name: 'Cluster', text: monitor.clusterName ?? 'not known yet: no kubeconfig' }];
}
