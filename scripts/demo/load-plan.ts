import * as z from 'zod/mini';

const target = z.object({
  name: z.string(),
  address: z.string(),
  port: z.number(),
  /** The Host header, and the SNI unless it is the address. */
  host: z.string(),
  path: z.string(),
  tls: z.boolean(),
  /** How the answering server is identified. */
  namedBy: z.enum(['certificate', 'body']),
  /** Whether some of its connections are held open for a while before they send a request. */
  isHeld: z.boolean(),
});
export type Target = z.infer<typeof target>;

/** The plan of a demo's client, which sends requests to the targets in turn. */
export const loadPlan = z.object({ perSecond: z.number(), caFile: z.string(), targets: z.array(target) });
