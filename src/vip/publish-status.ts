import { journalParts } from '../engine/observe/journal/send-journal.ts';
import type { PeerCredentials } from '../engine/peers/credentials.ts';
import { keepCredentials } from '../engine/peers/keep-credentials.ts';
import { createPeerAnswers } from '../engine/peers/peer-answers.ts';
import { createPeerListeners } from '../engine/peers/peer-listeners.ts';
import { createRefusals } from '../engine/peers/refusals.ts';
import type { ClusterNode } from '../engine/system/network/cluster-node.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import type { NodeList } from './configuration/node-lists.ts';
import { mergeNodes } from './group/merge-nodes.ts';
import type { KeepalivedModel } from './group/vrrp.ts';
import type { KeepalivedMonitorObservers } from './settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from './settings/keepalived-monitor-settings.ts';

/** How soon a new address of this node gets a listener, and a failed listen is retried. */
const LOOK_EVERY_MS = 1_000;

export interface Publication {
  readonly lists: readonly NodeList[];
  readonly served: () => KeepalivedModel | undefined;
  /** What this node's programs say of themselves; undefined if nothing is published. */
  readonly status: ((signal: AbortSignal) => Promise<object>) | undefined;
}

/**
 * Serves this node's status, and its journal if it keeps one, to the other nodes of the group over mutual TLS. Listens
 * only if `--peer-tls-…` are set. Follows the certificate files and this node's addresses until `signal` aborts. A
 * failure is logged and affects nothing else. Never rejects.
 */
export async function publishStatus(
  { peers, journal }: Pick<KeepalivedMonitorSettings, 'peers' | 'journal'>,
  { lists, served, status }: Publication,
  { log, metrics }: KeepalivedMonitorObservers,
  signal: AbortSignal,
): Promise<void> {
  if (peers === undefined || status === undefined) return;
  const refused = createRefusals(log, monotonicMs);
  const onRequest = createPeerAnswers(
    {
      nodes: () => groupOf(lists, served()),
      status: async () => JSON.stringify(await status(signal)),
      journal: journal === undefined ? undefined : (range) => journalParts(journal, range),
    },
    refused,
  );
  const listeners = createPeerListeners(peers.port, { onRequest, refused, log }, signal);
  let credentials: PeerCredentials | undefined;
  const use = (next: PeerCredentials): void => {
    credentials = next;
    metrics.peerCertificate(next.leaf.validToDate.getTime());
    listeners.use(next);
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const hosts = peers.host === undefined ? ownAddresses(served()) : [peers.host];
      if (credentials !== undefined) await listeners.listenAt(hosts, credentials);
      await sleep(LOOK_EVERY_MS, signal);
    }
  };
  await Promise.all([keepCredentials(peers.files, { log, use }, signal), follow()]);
}

/** The nodes of the lists, this node included, and the peers that keepalived runs with. */
function groupOf(lists: readonly NodeList[], model: KeepalivedModel | undefined): readonly ClusterNode[] {
  const listed = lists.map(({ list }) => list.latest() ?? []);
  return mergeNodes([...listed, ...(model?.instances.map(({ peers }) => peers) ?? [])]);
}

/** The source addresses of this node's adverts, by which the peers know it. Empty while it takes no part. */
function ownAddresses(model: KeepalivedModel | undefined): readonly string[] {
  return [...new Set(model?.instances.map(({ sourceAddress }) => sourceAddress))];
}
