import * as z from 'zod/mini';
import { parseJson } from '../system/text/parse-json.ts';

/**
 * One request's answer: one line of JSON, sent when what was asked for is done. `stage` says how far a request
 * came: `protocol` (not understood), `check`, `start`, `prove`, `change`, `stop`, `internal` (the request failed for a reason of our own).
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

/** Undefined where the line is no answer of this protocol. */
export function decodeAnswer(line: string): Answer | undefined {
  return answerSchema.safeParse(parseJson(line)).data;
}
