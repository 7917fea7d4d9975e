import * as z from 'zod/mini';
import { parseJson } from '../system/text/parse-json.ts';

/**
 * The answer to one request: one line of JSON, sent when the request is done. `stage` is the stage that failed: `protocol` (request not understood),
 * `check`, `unchecked` (there is no verdict), `start`, `prove`, `change`, `stop`, or `internal` (a bug in hawser).
 */
const answerSchema = z.union([
  z.looseObject({
    ok: z.literal(true),
    generation: z.optional(z.number()),
    pid: z.optional(z.number()),
    tookMs: z.optional(z.number()),
  }),
  z.looseObject({
    ok: z.literal(false),
    stage: z.string(),
    message: z.string(),
    detail: z.optional(z.string()),
  }),
]);

export type Answer = Readonly<z.infer<typeof answerSchema>>;

export function encodeAnswer(answer: Answer): string {
  return `${JSON.stringify(answer)}\n`;
}

/** Returns undefined if the line is not an answer of this protocol. */
export function decodeAnswer(line: string): Answer | undefined {
  return answerSchema.safeParse(parseJson(line)).data;
}
