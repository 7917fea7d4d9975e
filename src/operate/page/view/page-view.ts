import type { ClusterStatus } from '../../status/node-status.ts';
import type { RecentEntries } from '../../timeline/recent.ts';
import { type HaproxyView, haproxyView } from './haproxy.ts';
import { type NodeView, nodeViews } from './nodes.ts';
import { type ServersView, serversView } from './servers.ts';
import { type StatusLabel, statusLabel } from './status-label.ts';
import { lastHour } from './time-span.ts';
import { type TimelineView, timelineView } from './timeline.ts';
import { type VipView, vipViews } from './vips.ts';

/** Everything that the page says, in words: what is shown is decided here, how it looks is not. */
export interface PageView {
  /** Of the browser's window. */
  readonly title: string;
  readonly verdict: StatusLabel;
  readonly node: string;
  readonly cluster: string | null;
  readonly problems: readonly string[];
  readonly vips: readonly VipView[];
  readonly servers: ServersView;
  readonly haproxy: HaproxyView;
  readonly nodes: readonly NodeView[];
  readonly timeline: TimelineView;
}

const VERDICTS: Readonly<Record<ClusterStatus['verdict'], StatusLabel>> = {
  healthy: statusLabel('good', 'Healthy'),
  degraded: statusLabel('warn', 'Degraded'),
  unknown: statusLabel('unknown', 'Cannot tell'),
};

export function pageView(status: ClusterStatus, recent: RecentEntries, nowMs: number): PageView {
  const verdict = VERDICTS[status.verdict];
  return {
    title: `${verdict.words} · ${status.here.node} · hawser`,
    verdict,
    node: status.here.node,
    cluster: clusterOf(status),
    problems: status.problems,
    vips: vipViews(status),
    servers: serversView(status),
    haproxy: haproxyView(status),
    nodes: nodeViews(status),
    timeline: timelineView(status, recent, lastHour(nowMs)),
  };
}

/** By the name that the answering node uses. */
function clusterOf({ here, peers }: ClusterStatus): string | null {
  const names = [here, ...peers.map(({ published }) => published)].map(
    (node) => node?.keepalivedMonitor?.clusterName,
  );
  return names.find((name) => name != null) ?? null;
}
