import * as z from 'zod/mini';

/**
 * The last change and its cause: `servers-changed`, `template-changed`, `edited`, `start`, … `result` is `unchanged`, `reloaded`, `rejected`,
 * `unreachable`, `failed` or `superseded`; for the last four, `message` is the reason.
 */
export const lastChangeSchema = z.object({
  cause: z.string(),
  result: z.string(),
  message: z.optional(z.string()),
  agoMs: z.number(),
});

export type ShownChange = z.infer<typeof lastChangeSchema>;
