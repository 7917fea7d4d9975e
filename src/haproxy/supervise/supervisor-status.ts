import * as z from 'zod/mini';

const generation = {
  generation: z.number(),
  pid: z.number(),
  workers: z.array(z.number()),
  ageMs: z.number(),
  /** Null where its worker did not answer. */
  sessions: z.nullable(z.number()),
};

/** What a supervisor answers to `status`. Times are milliseconds: ages, and how long until something happens. */
export const supervisorStatusSchema = z.object({
  ok: z.literal(true),
  phase: z.enum(['waiting-for-configuration', 'starting', 'serving', 'stopping', 'stopped']),
  current: z.nullable(
    z.object({ ...generation, config: z.enum(['live', 'last-good']), configSha256: z.string() }),
  ),
  draining: z.array(
    z.object({
      ...generation,
      terminateInMs: z.number(),
      sent: z.enum(['soft-stop', 'terminate', 'kill']),
      reason: z.string(),
    }),
  ),
  reload: z.nullable(z.object({ cause: z.string(), stage: z.string(), waiting: z.number() })),
  restart: z.nullable(z.object({ failures: z.number(), inMs: z.number() })),
  /** What keeps the supervisor from doing its work; without it all is well. */
  trouble: z.optional(z.string()),
  lastFailure: z.nullable(
    z.object({ stage: z.string(), message: z.string(), detail: z.optional(z.string()), agoMs: z.number() }),
  ),
});

export type SupervisorStatus = z.infer<typeof supervisorStatusSchema>;
