import * as z from 'zod/mini';
import { programStateSchema } from '../../engine/examine/ask-program.ts';
import { type SeenCluster, type SeenNode, seenPeerSchema, seenVipSchema } from '../../engine/examine/seen.ts';
import type { ProductStatus } from './product-status.ts';

/** The output of `hawser status --json`. */
export interface ClusterStatus extends SeenCluster<SeenNode> {
  readonly v: 1;
  readonly verdict: 'healthy' | 'degraded' | 'unknown';
  /** Problems, worst first; empty if healthy. */
  readonly problems: readonly string[];
}

/**
 * The schema of this node's status. Each product adds fields with the status of its programs and with further readings.
 * The field of a program that did not answer is null; `programs` has the reason. Times are in milliseconds.
 */
export function nodeStatusSchema(products: readonly ProductStatus[]): z.ZodMiniType<SeenNode> {
  const names = products.flatMap(({ inputs }) => inputs.programs.map(({ name }) => name));
  const common = {
    /** ISO 8601, UTC. */
    at: z.iso.datetime(),
    node: z.string(),
    /** The programs and whether they answered. */
    programs: z.array(z.extend(programStateSchema, { name: z.enum(names) })),
  };
  const others = products.map(({ inputs }) => inputs.others?.schema);
  const fields = Object.assign(common, ...products.map(answersOf), ...others);
  // The types of the products' fields are lost in the list of products.
  return z.object(fields) as z.ZodMiniType as z.ZodMiniType<SeenNode>;
}

/** The fields of a product's programs. Those of a pod of a Deployment are optional, since the pod runs only on some nodes. */
function answersOf({ inputs: { home, programs } }: ProductStatus): Readonly<Record<string, z.ZodMiniType>> {
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
