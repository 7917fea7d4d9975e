import * as z from 'zod/mini';

const requestResult = z.object({
  /** The target's name in the load plan. */
  target: z.string(),
  /** On the monotonic clock, which all processes share. */
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** How long the client held the connection open before its request. */
  heldMs: z.number(),
  /** The answering server, identified by its certificate or the body. */
  server: z.optional(z.string()),
  /** Missing on success. */
  failure: z.optional(z.string()),
});

export type RequestResult = z.infer<typeof requestResult>;

/** Undefined for a line that is not from load.ts. */
export function parseRequestResult(line: string): RequestResult | undefined {
  try {
    return requestResult.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
