import { askPage } from '../system/network/ask-page.ts';
import type { PeerLimits, PublishedStatus } from './fetch-peer-status.ts';
import type { Peer } from './peer.ts';

/** How the others are asked for what they publish, or why they are not. */
export type PeerQuestion<T> =
  | {
      readonly kind: 'asked';
      readonly ask: (peer: Peer, limits: PeerLimits) => Promise<PublishedStatus<T>>;
    }
  | { readonly kind: 'none'; readonly problem: string };

export interface PeerObservation<T> {
  readonly peer: Peer;
  /** Its HAProxy's health port, asked from here. */
  readonly health: 'ready' | 'not-ready' | 'no-answer' | 'not-asked';
  readonly published: T | null;
  /** Why there is nothing published. */
  readonly problem: string | null;
}

/** Looks at every peer at once: its HAProxy's health port, and what it publishes. Never rejects. */
export async function observePeers<T>(
  peers: readonly Peer[],
  { healthPorts, question }: { readonly healthPorts: readonly number[]; readonly question: PeerQuestion<T> },
  limits: PeerLimits,
): Promise<readonly PeerObservation<T>[]> {
  return await Promise.all(
    peers.map(async (peer) => {
      const [health, published] = await Promise.all([
        healthOf(peer, healthPorts, limits),
        publishedBy(peer, question, limits),
      ]);
      return { peer, health, ...published };
    }),
  );
}

/** In a group of both flavours the peer may have its health page at the other one's port. */
async function healthOf(
  { address }: Peer,
  ports: readonly number[],
  limits: PeerLimits,
): Promise<PeerObservation<unknown>['health']> {
  const answers = await Promise.all(
    ports.map(async (port) => await askPage({ host: address, port }, '/haproxy_ready', limits)),
  );
  const told = answers.filter(({ kind }) => kind !== 'silent');
  if (told.length === 0) return 'no-answer';
  return told.some((answer) => answer.kind !== 'silent' && answer.status === 200) ? 'ready' : 'not-ready';
}

async function publishedBy<T>(
  peer: Peer,
  question: PeerQuestion<T>,
  limits: PeerLimits,
): Promise<Pick<PeerObservation<T>, 'published' | 'problem'>> {
  if (question.kind === 'none') return { published: null, problem: question.problem };
  const answer = await question.ask(peer, limits);
  return answer.kind === 'published'
    ? { published: answer.status, problem: null }
    : { published: null, problem: answer.problem };
}
