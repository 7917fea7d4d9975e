import * as z from 'zod/mini';
import { programState } from '../../engine/examine/ask-program.ts';
import { type SeenCluster, type SeenNode, seenPeerSchema, seenVipSchema } from '../../engine/examine/seen.ts';
import type { ProductStatus } from './product-status.ts';

/** What `hawser status --json` prints. */
export interface ClusterStatus extends SeenCluster<SeenNode> {
  readonly v: 1;
  readonly verdict: 'healthy' | 'degraded' | 'unknown';
  /** Problems, worst first; empty if healthy. */
  readonly problems: readonly string[];
}

/**
 * What is known of this node at one moment. Each product adds fields of its own: what its programs say of themselves, and
 * what it reads besides. Whatever did not answer is null, and `programs` says why. Times are milliseconds.
 */
export function nodeStatusSchema(products: readonly ProductStatus[]): z.ZodMiniType<SeenNode> {
  const names = products.flatMap(({ look }) => look.programs.map(({ name }) => name));
  const common = {
    /** ISO 8601, UTC. */
    at: z.iso.datetime(),
    node: z.string(),
    /** Which programs were asked. */
    programs: z.array(z.object({ name: z.enum(names), ...programState })),
  };
  const others = products.map(({ look }) => look.others?.schema);
  const fields = Object.assign(common, ...products.map(answersOf), ...others);
  // TypeScript does not know the products' fields.
  return z.object(fields) as z.ZodMiniType as z.ZodMiniType<SeenNode>;
}

/** What runs in a pod of its own is missing elsewhere. */
function answersOf({ look: { home, programs } }: ProductStatus): Readonly<Record<string, z.ZodMiniType>> {
  const answer = (schema: z.ZodMiniType) =>
    home.kind === 'pod' ? z.optional(z.nullable(schema)) : z.nullable(schema);
  return Object.fromEntries(programs.map(({ field, schema }) => [field, answer(schema)]));
}

export function clusterStatusSchema(products: readonly ProductStatus[]): z.ZodMiniType<ClusterStatus> {
  const node = nodeStatusSchema(products);
  return z.object({
    v: z.literal(1),
    verdict: z.enum(['healthy', 'degraded', 'unknown']),
    problems: z.array(z.string()),
    vips: z.array(seenVipSchema),
    here: node,
    peers: z.array(seenPeerSchema),
  });
}
