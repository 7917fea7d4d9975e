import * as z from 'zod/mini';

const target = z.object({
  name: z.string(),
  address: z.string(),
  port: z.number(),
  /** The name in the request, and in the TLS hello where it is not the address. */
  host: z.string(),
  path: z.string(),
  tls: z.boolean(),
  /** What says who answered. */
  namedBy: z.enum(['certificate', 'body']),
  /** Some of its connections are held for a while before they ask. */
  isHeld: z.boolean(),
});
export type Target = z.infer<typeof target>;

/** What the client of a demo is asked to do: each target in turn. */
export const loadPlan = z.object({ perSecond: z.number(), caFile: z.string(), targets: z.array(target) });
