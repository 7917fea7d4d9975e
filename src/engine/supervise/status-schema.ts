import * as z from 'zod/mini';

/** What every supervisor answers to `status`. Times are milliseconds: ages, and how long until something happens. */
export const sharedStatusFields = {
  reload: z.nullable(z.object({ cause: z.string(), stage: z.string(), waiting: z.number() })),
  restart: z.nullable(z.object({ failures: z.number(), inMs: z.number() })),
  /** What keeps the supervisor from doing its work; without it all is well. */
  trouble: z.optional(z.string()),
  lastFailure: z.nullable(
    z.object({ stage: z.string(), message: z.string(), detail: z.optional(z.string()), agoMs: z.number() }),
  ),
};

const sharedStatusSchema = z.object(sharedStatusFields);
export type SharedStatus = z.infer<typeof sharedStatusSchema>;
