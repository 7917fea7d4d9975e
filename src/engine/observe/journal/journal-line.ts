import * as z from 'zod/mini';
import { parseJson } from '../../system/text/parse-json.ts';

/** The subjects of entries. */
export const journalKinds = [
  'vip',
  'split-brain',
  'health',
  'repair',
  'reload',
  'rejected',
  'servers',
  'group',
  'process',
  'steering',
  'journal',
] as const;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const entryFields = {
  kind: z.enum(journalKinds),
  /** The name of the log event. */
  event: z.string(),
  /** The object of the event: an instance, an address, a generation. */
  subject: z.optional(z.string()),
  from: z.optional(z.string()),
  to: z.optional(z.string()),
  reason: z.optional(z.string()),
  facts: z.optional(z.record(z.string(), scalar)),
};

/**
 * One line of a journal. `seq` counts from 1 without gaps, across restarts and files, so that a missing line is detected. Version 1 is stable: fields may
 * be added, but are never changed. Lines of earlier versions also have `prev`, the SHA-256 of the previous line, which is ignored.
 */
export const journalLineSchema = z.object({
  v: z.literal(1),
  seq: z.int().check(z.minimum(1)),
  /** ISO 8601, UTC, of the node's own clock. */
  at: z.iso.datetime(),
  node: z.string(),
  program: z.string(),
  ...entryFields,
});

const entrySchema = z.object(entryFields);
export type JournalEntry = z.infer<typeof entrySchema>;
export type JournalLine = z.infer<typeof journalLineSchema>;

/** Undefined for anything that is not a journal line. */
export function parseJournalLine(text: string): JournalLine | undefined {
  return journalLineSchema.safeParse(parseJson(text)).data;
}
