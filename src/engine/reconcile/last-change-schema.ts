import * as z from 'zod/mini';

/**
 * What happened last, and what made it happen: `servers-changed`, `template-changed`, `edited`, `start` … `result` is
 * `unchanged`, `reloaded`, `rejected`, `unreachable`, `failed` or `superseded`, and `message` says why where it is one of the last four.
 */
export const lastChangeSchema = z.object({
  cause: z.string(),
  result: z.string(),
  message: z.optional(z.string()),
  agoMs: z.number(),
});

export type ShownChange = z.infer<typeof lastChangeSchema>;
