import * as z from 'zod/mini';
import { sharedStatusFields } from '../../engine/supervise/status-schema.ts';

const generation = {
  generation: z.number(),
  pid: z.number(),
  workers: z.array(z.number()),
  ageMs: z.number(),
  /** Null if the worker did not answer. */
  sessions: z.nullable(z.number()),
};

/** A supervisor's answer to `status`. Times are milliseconds: ages and remaining durations. */
export const supervisorStatusSchema = z.object({
  ok: z.literal(true),
  phase: z.enum(['waiting-for-configuration', 'starting', 'serving', 'stopping', 'stopped']),
  current: z.nullable(
    z.object({
      ...generation,
      config: z.enum(['live', 'last-good']),
      /** Hash of the file that it was started with, or changed to since. */
      configSha256: z.string(),
      /** Null if it is unknown, because HAProxy refused a part of a change. */
      revision: z.nullish(z.string()),
    }),
  ),
  draining: z.array(
    z.object({
      ...generation,
      terminateInMs: z.number(),
      sent: z.enum(['nothing', 'notice', 'soft-stop', 'terminate', 'kill']),
      reason: z.string(),
    }),
  ),
  /** The last generation that lost its connections to a limit on the number or the memory of draining generations. */
  lastCutShort: z.optional(
    z.object({ generation: z.number(), limit: z.enum(['number', 'memory']), agoMs: z.number() }),
  ),
  /** Runtime changes since the supervisor started. Absent if it makes none. */
  changes: z.optional(
    z.object({
      made: z.number(),
      /** Manual changes that were reverted. */
      repaired: z.number(),
      /** Changes that needed a reload after all, and the reason of the last one. */
      refused: z.number(),
      lastRefusal: z.optional(z.string()),
    }),
  ),
  ...sharedStatusFields,
});

export type SupervisorStatus = z.infer<typeof supervisorStatusSchema>;
