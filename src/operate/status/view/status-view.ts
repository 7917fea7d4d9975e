import { type Section, type StatusLabel, statusLabel } from '../../../engine/examine/section.ts';
import type { ClusterStatus } from '../node-status.ts';
import { haproxySection } from './haproxy.ts';
import { keepalivedSection } from './keepalived.ts';
import { nodesSection } from './nodes.ts';
import { serversSection } from './servers.ts';
import { vipsSection } from './vips.ts';

/** Everything that a status says to people, in words: the text and the page are printers of it. */
export interface StatusView {
  readonly verdict: StatusLabel;
  readonly node: string;
  /** By the name that the answering node uses; null where none says. */
  readonly cluster: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The worst first. */
  readonly problems: readonly string[];
  /** In the order in which they are read. */
  readonly sections: readonly Section[];
}

const VERDICTS: Readonly<Record<ClusterStatus['verdict'], StatusLabel>> = {
  healthy: statusLabel('good', 'Healthy'),
  degraded: statusLabel('warn', 'Degraded'),
  unknown: statusLabel('unknown', 'Cannot tell'),
};

export function statusView(status: ClusterStatus): StatusView {
  const { verdict, here, peers, problems } = status;
  const names = [here, ...peers.map(({ published }) => published)].map(
    (node) => node?.keepalivedMonitor?.clusterName,
  );
  return {
    ...{ verdict: VERDICTS[verdict], node: here.node, at: here.at, problems },
    cluster: names.find((name) => name != null) ?? null,
    sections: [
      vipsSection(status),
      serversSection(here),
      haproxySection(here),
      keepalivedSection(here),
      nodesSection(status),
    ],
  };
}
