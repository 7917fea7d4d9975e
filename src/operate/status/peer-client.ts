import * as z from 'zod/mini';
import { askPeer, type PeerAccess } from '../../engine/peers/ask-peer.ts';
import type { Peer } from '../../engine/peers/peer.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import { type NodeStatus, nodeStatusSchema } from './node-status.ts';

export type PublishedStatus =
  | { readonly kind: 'published'; readonly status: NodeStatus }
  | { readonly kind: 'problem'; readonly problem: string };

/** Twenty times what a node with a hundred servers says. */
const MAX_BYTES = 1_000_000;

const version = z.object({ v: z.unknown() });

/** What a peer publishes of itself, checked. Never rejects; a problem is a sentence about the peer without its name. */
export async function fetchPeerStatus(
  peer: Peer,
  access: PeerAccess,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<PublishedStatus> {
  const answer = await askPeer(peer, '/status', access, { ...limits, maxBytes: MAX_BYTES });
  if (answer.kind === 'problem') return answer;
  const value = parseJson(answer.body.toString('utf8'));
  const parsed = nodeStatusSchema.safeParse(value);
  if (parsed.success) return { kind: 'published', status: parsed.data };
  const said = version.safeParse(value);
  const issue = parsed.error.issues[0];
  const what =
    said.success && said.data.v !== 1 ? `version ${String(said.data.v)}` : `no "${issue?.path.join('.')}"`;
  return {
    kind: 'problem',
    problem: `its answer is not what this version understands: ${what.slice(0, 100)}`,
  };
}
