import type { PeerSettings } from '../../cli/peer-settings.ts';
import { parseServers } from '../../engine/kube/control-plane/static-servers.ts';
import { receiveJournal } from '../../engine/observe/journal/receive-journal.ts';
import { mostJournalBytes } from '../../engine/observe/journal/send-journal.ts';
import { askPeer, type PeerAccess, peerUrl } from '../../engine/peers/ask-peer.ts';
import { readCredentials } from '../../engine/peers/credentials.ts';
import type { Peer } from '../../engine/peers/peer.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import type { FetchedJournals, Range, Unread } from './collect.ts';
import { openRange, type PeerClock } from './report.ts';

/** A running node answers within a second; 20 MB take a few. */
const TIMEOUT_MS = 10_000;
/** The journals themselves, and the lengths that precede them. */
const MAX_BYTES = mostJournalBytes + 1_000_000;

interface PeerAccessSettings {
  /** The file in which a product keeps the list of nodes, and how to read it; it never rejects. */
  readonly lastKnown: string;
  readonly nodesIn: (path: string) => Promise<readonly ClusterNode[]>;
  readonly access: PeerSettings | undefined;
}

export interface PeerJournals {
  readonly fetched: readonly FetchedJournals[];
  /** Nodes that gave no journal, and why. */
  readonly unread: readonly Unread[];
  /** Of the nodes that say what time they have. */
  readonly clocks: readonly PeerClock[];
}

/**
 * Fetches the journals of the other nodes in parallel: of `list` (`HOST=IP[:PORT],…`), or of all nodes that this one
 * knows. A node that does not answer costs ten seconds and is reported. Throws a ConfigError for an unusable list.
 */
export async function fetchPeerJournals(
  list: string,
  { lastKnown, nodesIn, access: settings }: PeerAccessSettings,
  range: Range,
): Promise<PeerJournals> {
  if (settings === undefined)
    return nothing('the other nodes', 'no --peer-tls-… files are set (docs/peers.md)');
  const peers = await peersOf(list, () => nodesIn(lastKnown), settings.port);
  if (peers.length === 0) return nothing('the other nodes', `${lastKnown} names none`);
  const look = await readCredentials(settings.files, new Date());
  if (look.kind === 'unusable') return nothing('the other nodes', look.message);
  const answers = await Promise.all(
    peers.map((peer) => fetchOne(peer, { credentials: look.credentials, port: peer.port }, range)),
  );
  return {
    fetched: answers.flatMap(({ fetched }) => fetched),
    unread: answers.flatMap(({ unread }) => unread),
    clocks: answers.flatMap(({ clocks }) => clocks),
  };
}

interface AskedPeer extends Peer {
  readonly port: number;
}

async function peersOf(
  list: string,
  knownNodes: () => Promise<readonly ClusterNode[]>,
  port: number,
): Promise<readonly AskedPeer[]> {
  if (list !== 'all') return parseServers(list, port);
  const own = presentAddresses();
  const others = (await knownNodes()).filter(({ addresses }) => !addresses.some((each) => own.has(each)));
  return others.map(({ name, addresses: [address = ''] }) => ({ name, address, port }));
}

async function fetchOne(peer: AskedPeer, access: PeerAccess, range: Range): Promise<PeerJournals> {
  const signal = new AbortController().signal;
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
  const answer = await askPeer(peer, `/journal${queryOf(range)}`, access, limits);
  const who = `${peer.name} (${peer.address})`;
  if (answer.kind === 'problem') return nothing(who, answer.problem);
  const from = peerUrl(peer, access.port, '/journal');
  const received = receiveJournal(answer.body, from);
  if (received.kind === 'problem') return nothing(who, received.problem);
  const clocks = answer.clockOffMs === undefined ? [] : [{ node: peer.name, offMs: answer.clockOffMs }];
  return { fetched: [{ from, files: received.files }], unread: [], clocks };
}

function queryOf({ since, until }: Range): string {
  const query = new URLSearchParams({
    ...(since !== openRange.since && { since }),
    ...(until !== openRange.until && { until }),
  });
  return query.size === 0 ? '' : `?${query}`;
}

function nothing(path: string, problem: string): PeerJournals {
  return { fetched: [], unread: [{ path, problem }], clocks: [] };
}
