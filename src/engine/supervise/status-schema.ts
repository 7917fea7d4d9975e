import * as z from 'zod/mini';

/** Fields of every supervisor's answer to `status`. All times are milliseconds: ages and remaining durations. */
export const sharedStatusFields = {
  reload: z.nullable(z.object({ cause: z.string(), stage: z.string(), waiting: z.number() })),
  restart: z.nullable(z.object({ failures: z.number(), inMs: z.number() })),
  /** Why the supervisor cannot do its work; absent if it is healthy. */
  trouble: z.optional(z.string()),
  lastFailure: z.nullable(
    z.object({ stage: z.string(), message: z.string(), detail: z.optional(z.string()), agoMs: z.number() }),
  ),
};

const sharedStatusSchema = z.object(sharedStatusFields);
export type SharedStatus = z.infer<typeof sharedStatusSchema>;
