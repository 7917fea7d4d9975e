import { healthPorts } from '../../cli/ports.ts';
import type { Peer } from '../../engine/peers/peer.ts';
import { askPage } from '../../engine/system/network/ask-page.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import type { PublishedStatus } from './peer-client.ts';

/** How the others are asked for what they publish, or why they are not. */
export type PeerQuestion =
  | {
      readonly kind: 'asked';
      readonly ask: (peer: Peer, limits: PeerLimits) => Promise<PublishedStatus>;
    }
  | { readonly kind: 'none'; readonly problem: string };

export interface PeerObservation {
  readonly peer: Peer;
  readonly health: ClusterStatus['peers'][number]['observed']['health'];
  readonly published: NodeStatus | null;
  /** Why there is nothing published. */
  readonly problem: string | null;
}

export interface PeerLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Looks at every peer at once: its HAProxy's health port, and what it publishes. Never rejects. */
export async function observePeers(
  peers: readonly Peer[],
  { healthPort, question }: { readonly healthPort: number; readonly question: PeerQuestion },
  limits: PeerLimits,
): Promise<readonly PeerObservation[]> {
  return await Promise.all(
    peers.map(async (peer) => {
      const [health, published] = await Promise.all([
        healthOf(peer, healthPort, limits),
        publishedBy(peer, question, limits),
      ]);
      return { peer, health, ...published };
    }),
  );
}

/** In a group of both flavours the peer may have its health page at the other one's port. */
async function healthOf(
  { address }: Peer,
  own: number,
  limits: PeerLimits,
): Promise<PeerObservation['health']> {
  const answers = await Promise.all(
    healthPorts(own).map(async (port) => await askPage({ host: address, port }, '/haproxy_ready', limits)),
  );
  const told = answers.filter(({ kind }) => kind !== 'silent');
  if (told.length === 0) return 'no-answer';
  return told.some((answer) => answer.kind !== 'silent' && answer.status === 200) ? 'ready' : 'not-ready';
}

async function publishedBy(
  peer: Peer,
  question: PeerQuestion,
  limits: PeerLimits,
): Promise<Pick<PeerObservation, 'published' | 'problem'>> {
  if (question.kind === 'none') return { published: null, problem: question.problem };
  const answer = await question.ask(peer, limits);
  return answer.kind === 'published'
    ? { published: answer.status, problem: null }
    : { published: null, problem: answer.problem };
}
