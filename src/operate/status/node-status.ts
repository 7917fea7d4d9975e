import * as z from 'zod/mini';
import type { SeenCluster, SeenNode } from '../../engine/examine/seen.ts';
import { instancedAmong } from './instances.ts';
import type { ProductStatus } from './product-status.ts';

/**
 * All that is known of one node at one moment. Each product adds fields of its own: what its programs say of themselves, and
 * what it reads besides. Whatever did not answer is null, and `programs` says why. Times are milliseconds.
 */
export type NodeStatus = SeenNode;

/** What `hawser status --json` prints. */
export interface ClusterStatus extends SeenCluster<NodeStatus> {
  readonly v: 1;
  readonly verdict: 'healthy' | 'degraded' | 'unknown';
  /** What is not as it should be, worst first; empty where all is well. */
  readonly problems: readonly string[];
}

/** What a node publishes. */
export function nodeStatusSchema(products: readonly ProductStatus[]): z.ZodMiniType<NodeStatus> {
  const instance = z.object({ name: z.string(), ...fieldsOf(instancedAmong(products)) });
  const common = {
    v: z.literal(1),
    /** ISO 8601, UTC, of the node's own clock. */
    at: z.iso.datetime(),
    node: z.string(),
    /** Programs with a name of their own beside the others, of this node. */
    instances: z.optional(z.array(instance)),
    /** Announced pages of instances that are not shown, and why. */
    leftOut: z.optional(z.array(z.string())),
  };
  // TypeScript does not know the products' fields.
  return z.object({ ...common, ...fieldsOf(products) }) as z.ZodMiniType as z.ZodMiniType<NodeStatus>;
}

/** Which programs were asked, and what they and others said. */
function fieldsOf(products: readonly ProductStatus[]): Readonly<Record<string, z.ZodMiniType>> {
  const programs = products.flatMap((product) => product.programs);
  const program = z.object({
    name: z.enum(programs.map(({ name }) => name)),
    state: z.enum(['answers', 'silent', 'not-asked']),
    /** Where it was asked: `127.0.0.1:29446`. */
    address: z.nullable(z.string()),
    problem: z.nullable(z.string()),
  });
  return Object.assign(
    { programs: z.array(program) },
    ...products.map(answersOf),
    ...products.map(({ others }) => others?.schema),
  );
}

/** What runs in a pod of its own is missing elsewhere. */
function answersOf({ home, programs }: ProductStatus): Readonly<Record<string, z.ZodMiniType>> {
  const answer = (schema: z.ZodMiniType) =>
    home.kind === 'pod' ? z.optional(z.nullable(schema)) : z.nullable(schema);
  return Object.fromEntries(programs.map(({ field, schema }) => [field, answer(schema)]));
}

/** A VIP and its holder, as far as it is known here. */
const vipSchema = z.object({
  vip: z.string(),
  kind: z.enum(['api', 'ingress']),
  /** Names of nodes, or addresses of unknown ones: one is healthy, none or several are not. */
  holders: z.array(z.string()),
  why: z.array(z.string()),
});

export function clusterStatusSchema(products: readonly ProductStatus[]): z.ZodMiniType<ClusterStatus> {
  const node = nodeStatusSchema(products);
  const peer = z.object({
    name: z.string(),
    address: z.string(),
    published: z.nullable(node),
    problem: z.nullable(z.string()),
    observed: z.object({
      health: z.enum(['ready', 'not-ready', 'no-answer', 'not-asked']),
      holds: z.array(z.string()),
      adverts: z.enum(['arrive', 'not-known']),
    }),
  });
  return z.object({
    v: z.literal(1),
    verdict: z.enum(['healthy', 'degraded', 'unknown']),
    problems: z.array(z.string()),
    vips: z.array(vipSchema),
    here: node,
    peers: z.array(peer),
  });
}
