import * as z from 'zod/mini';

const requestResult = z.object({
  /** Its name in the plan of the load. */
  target: z.string(),
  /** Of the monotonic clock that all processes share. */
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** How long the client kept the connection before it asked. */
  heldMs: z.number(),
  /** Who answered, by its certificate or its words. */
  server: z.optional(z.string()),
  /** What went wrong, left out where nothing did. */
  failure: z.optional(z.string()),
});

export type RequestResult = z.infer<typeof requestResult>;

/** Undefined for anything that is no line of load.ts. */
export function parseRequestResult(line: string): RequestResult | undefined {
  try {
    return requestResult.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
