import * as z from 'zod/mini';
import { parseJson } from '../system/text/parse-json.ts';
import { askPeer, type PeerAccess } from './ask-peer.ts';
import type { Peer } from './peer.ts';

export type PublishedStatus<T> =
  | { readonly kind: 'published'; readonly status: T }
  | { readonly kind: 'problem'; readonly problem: string };

export interface PeerLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Twenty times what a node with a hundred servers says. */
const MAX_BYTES = 1_000_000;

const version = z.object({ v: z.unknown() });

/** What a peer publishes of itself, as far as `schema` knows it. Never rejects; a problem is a sentence about the peer without its name. */
export async function fetchPeerStatus<T>(
  peer: Peer,
  schema: z.ZodMiniType<T>,
  access: PeerAccess,
  limits: PeerLimits,
): Promise<PublishedStatus<T>> {
  const answer = await askPeer(peer, '/status', access, { ...limits, maxBytes: MAX_BYTES });
  if (answer.kind === 'problem') return answer;
  const value = parseJson(answer.body.toString('utf8'));
  const parsed = schema.safeParse(value);
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
