import * as z from 'zod/mini';

const target = z.object({
  name: z.string(),
  address: z.string(),
  port: z.number(),
  /** The name in the request, and in the TLS hello unless that is the address. */
  host: z.string(),
  path: z.string(),
  tls: z.boolean(),
  /** How the answering server is recognised. */
  namedBy: z.enum(['certificate', 'body']),
  /** Some of its connections are held for a while before they send a request. */
  isHeld: z.boolean(),
});
export type Target = z.infer<typeof target>;

/** The plan for a demo's client: it requests the targets one after the other. */
export const loadPlan = z.object({ perSecond: z.number(), caFile: z.string(), targets: z.array(target) });
