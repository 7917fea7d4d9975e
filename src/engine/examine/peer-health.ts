import { askPage } from '../system/network/ask-page.ts';
import type { SeenPeer } from './seen.ts';

/** Another node of the group. */
export interface Peer {
  readonly name: string;
  readonly address: string;
}

/** A peer, and what its load balancer's health page answers. */
export type PeerHealth = Omit<SeenPeer, 'holds'>;

/** Polls the health page of every peer's load balancer concurrently. Never rejects. */
export async function askPeers(
  peers: readonly Peer[],
  page: { readonly port: number; readonly path: string },
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly PeerHealth[]> {
  return await Promise.all(
    peers.map(async (peer): Promise<PeerHealth> => {
      const answer = await askPage({ host: peer.address, port: page.port }, page.path, limits);
      if (answer.kind === 'silent') return { ...peer, health: 'no-answer' };
      return { ...peer, health: answer.status === 200 ? 'ready' : 'not-ready' };
    }),
  );
}
