import type * as z from 'zod/mini';
import type { PeerQuestion } from './observe-peers.ts';
import type { PeerFiles } from './peer.ts';

const NOT_ASKED = 'not asked: ';

/** Of every peer of a node that shows and asks nothing, as is the default: no fault, and no word about that peer. */
export const NOT_SET_UP = `${NOT_ASKED}no --peer-tls-… files are set on the node that looks`;

/** Whether a problem is that of the node that looks, and so the same for every peer. */
export function isNotAsked(problem: string | null | undefined): boolean {
  return problem?.startsWith(NOT_ASKED) ?? false;
}

/** Why the node that looks asks no peer, without a problem if nothing is set up; undefined where it asks. */
export function whyNotAsked(
  peers: readonly { readonly problem: string | null }[],
): { readonly problem?: string } | undefined {
  const found = peers.find(({ problem }) => isNotAsked(problem))?.problem;
  if (found == null) return undefined;
  return found === NOT_SET_UP ? {} : { problem: found.slice(NOT_ASKED.length) };
}

/** How to ask the peers for their published status, or why that is impossible. */
export async function peerQuestion<T>(
  peers: { readonly files: PeerFiles; readonly port: number } | undefined,
  schema: z.ZodMiniType<T>,
): Promise<PeerQuestion<T>> {
  if (peers === undefined) return { kind: 'none', problem: NOT_SET_UP };
  // Loading TLS takes a third of the time of `hawser status`, so it is loaded only when needed.
  const [{ readCredentials }, { fetchPeerStatus }] = await Promise.all([
    import('./credentials.ts'),
    import('./fetch-peer-status.ts'),
  ]);
  const look = await readCredentials(peers.files, new Date());
  if (look.kind !== 'good') return { kind: 'none', problem: `${NOT_ASKED}${look.message}` };
  const access = { credentials: look.credentials, port: peers.port };
  return { kind: 'asked', ask: (peer, limits) => fetchPeerStatus(peer, schema, access, limits) };
}
