import type * as z from 'zod/mini';
import type { PeerQuestion } from './observe-peers.ts';
import type { PeerFiles } from './peer.ts';

/** How to ask the peers for their published status, or why that is impossible. */
export async function peerQuestion<T>(
  peers: { readonly files: PeerFiles; readonly port: number } | undefined,
  schema: z.ZodMiniType<T>,
): Promise<PeerQuestion<T>> {
  if (peers === undefined)
    return { kind: 'none', problem: 'this node has no --peer-tls-… files to ask it with' };
  // Loading TLS takes a third of the time of `hawser status`, so it is loaded only when needed.
  const [{ readCredentials }, { fetchPeerStatus }] = await Promise.all([
    import('./credentials.ts'),
    import('./fetch-peer-status.ts'),
  ]);
  const look = await readCredentials(peers.files, new Date());
  if (look.kind !== 'good') return { kind: 'none', problem: look.message };
  const access = { credentials: look.credentials, port: peers.port };
  return { kind: 'asked', ask: (peer, limits) => fetchPeerStatus(peer, schema, access, limits) };
}
