import * as z from 'zod/mini';

const requestResult = z.object({
  /** Its name in the plan of the load. */
  target: z.string(),
  /** Of the monotonic clock that all processes share. */
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** How long the client kept the connection before its request. */
  heldMs: z.number(),
  /** The answering server, by its certificate or its body. */
  server: z.optional(z.string()),
  /** The failure; missing on success. */
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
