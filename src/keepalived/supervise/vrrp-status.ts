import * as z from 'zod/mini';
import { sharedStatusFields } from '../../engine/supervise/status-schema.ts';

/** What a keepalived supervisor answers to `status`. Times are milliseconds: ages, and how long until something happens. */
export const vrrpStatusSchema = z.object({
  ok: z.literal(true),
  phase: z.enum(['waiting-for-configuration', 'starting', 'running', 'down', 'stopping', 'stopped']),
  wanted: z.enum(['up', 'down']),
  /** What runs; null where nothing does. `generation` counts the accepted configurations. */
  current: z.nullable(
    z.object({ pid: z.number(), ageMs: z.number(), generation: z.number(), configSha256: z.string() }),
  ),
  instances: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['MASTER', 'BACKUP', 'FAULT', 'STOP', 'UNKNOWN']),
      priority: z.number(),
      sinceMs: z.number(),
      /**
       * It has been BACKUP for longer than it would be without a holder's adverts, so some arrive. Missing if the
       * supervisor does not know.
       */
      hearsHolder: z.optional(z.boolean()),
      /** Whether each VIP is on an interface of this node at this moment. */
      vips: z.array(z.object({ address: z.string(), present: z.boolean() })),
    }),
  ),
  /** `instances`: whose priority it counts for. */
  trackFiles: z.array(
    z.object({
      path: z.string(),
      instances: z.array(z.string()),
      value: z.number(),
      silent: z.boolean(),
      /** What a silent monitor asked does not answer either: the value is the supervisor's. */
      demoted: z.optional(z.boolean()),
    }),
  ),
  restarts: z.number(),
  lastTransition: z.nullable(
    z.object({
      instance: z.string(),
      from: z.string(),
      to: z.string(),
      priority: z.number(),
      reason: z.string(),
      agoMs: z.number(),
    }),
  ),
  ...sharedStatusFields,
});

export type VrrpStatus = z.infer<typeof vrrpStatusSchema>;
