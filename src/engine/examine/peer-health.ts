import { askPage } from '../system/network/ask-page.ts';

/** Another node of the group. */
export interface Peer {
  readonly name: string;
  readonly address: string;
}

export interface PeerHealth {
  readonly peer: Peer;
  /** What its HAProxy's health port answers. */
  readonly health: 'ready' | 'not-ready' | 'no-answer';
}

/** Asks every peer's HAProxy at once whether it is ready. Never rejects. */
export async function askPeers(
  peers: readonly Peer[],
  healthPort: number,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly PeerHealth[]> {
  return await Promise.all(
    peers.map(async (peer): Promise<PeerHealth> => {
      const answer = await askPage({ host: peer.address, port: healthPort }, '/haproxy_ready', limits);
      if (answer.kind === 'silent') return { peer, health: 'no-answer' };
      return { peer, health: answer.status === 200 ? 'ready' : 'not-ready' };
    }),
  );
}
