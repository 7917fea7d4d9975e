import type { PeerSettings } from '../../config/peer-settings.ts';
import type { Peer } from '../../model/peer.ts';
import { receiveJournal } from '../../observe/journal/receive-journal.ts';
import { mostJournalBytes } from '../../observe/journal/send-journal.ts';
import type { FetchedJournals, Range, Unread } from '../../observe/timeline/collect.ts';
import { openRange } from '../../observe/timeline/report.ts';
import { askPeer, type PeerAccess, peerUrl } from '../../peers/ask-peer.ts';
import { readCredentials } from '../../peers/credentials.ts';
import { knownNodes } from '../../sources/known-nodes.ts';
import { parseServers } from '../../sources/static-servers.ts';
import { presentAddresses } from '../../system/interface-addresses.ts';

/** A node that is up answers within a second; 20 MB take a few. */
const TIMEOUT_MS = 10_000;
/** Beside the journals themselves, what says how long each is. */
const MAX_BYTES = mostJournalBytes + 1_000_000;

export interface PeerJournals {
  readonly fetched: readonly FetchedJournals[];
  /** Nodes that gave nothing, and why. */
  readonly unread: readonly Unread[];
}

/**
 * The journals of the other nodes, asked all at once: of `list` (`HOST=IP[:PORT],…`), or of all that this node knows.
 * A node that does not answer costs ten seconds and is told. Throws a ConfigError for a list that cannot be used.
 */
export async function fetchPeerJournals(
  list: string,
  { lastKnown, access: settings }: { readonly lastKnown: string; readonly access: PeerSettings | undefined },
  range: Range,
): Promise<PeerJournals> {
  if (settings === undefined)
    return nothing('the other nodes', 'no --peer-tls-… files are set (docs/peers.md)');
  const peers = await peersOf(list, lastKnown, settings.port);
  if (peers.length === 0) return nothing('the other nodes', `${lastKnown} names none`);
  const look = await readCredentials(settings.files, new Date());
  if (look.kind === 'unusable') return nothing('the other nodes', look.message);
  const answers = await Promise.all(
    peers.map((peer) => fetchOne(peer, { credentials: look.credentials, port: peer.port }, range)),
  );
  return {
    fetched: answers.flatMap(({ fetched }) => fetched),
    unread: answers.flatMap(({ unread }) => unread),
  };
}

interface AskedPeer extends Peer {
  readonly port: number;
}

async function peersOf(list: string, lastKnown: string, port: number): Promise<readonly AskedPeer[]> {
  if (list !== 'all') return parseServers(list, port);
  const own = presentAddresses();
  const others = (await knownNodes(lastKnown)).filter(
    ({ addresses }) => !addresses.some((each) => own.has(each)),
  );
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
  return { fetched: [{ from, files: received.files }], unread: [] };
}

function queryOf({ since, until }: Range): string {
  const query = new URLSearchParams({
    ...(since !== openRange.since && { since }),
    ...(until !== openRange.until && { until }),
  });
  return query.size === 0 ? '' : `?${query}`;
}

function nothing(path: string, problem: string): PeerJournals {
  return { fetched: [], unread: [{ path, problem }] };
}
