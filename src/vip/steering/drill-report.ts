import * as z from 'zod/mini';
import { durationText } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';

const WIDTH = 80;

const legSchema = z.object({
  /** Name or MAC of the holder then, from the segment; null where no host answered for the VIP. */
  to: z.nullable(z.string()),
  /** From the order, or from the time to go back, until the VIP had left this node or was here. */
  tookMs: z.number(),
});

/** What `hawser drill --json` prints; published as `schemas/drill.schema.json`. Times are milliseconds. */
export const drillReportSchema = z.object({
  v: z.literal(1),
  /** ISO 8601, UTC: when it began. */
  at: z.iso.datetime(),
  /** This node. */
  node: z.string(),
  vip: z.nullable(z.string()),
  /**
   * `would-move` of a dry run; `refused`: nothing was changed; `not-moved`, `not-back`: it did not get where it was to be;
   * `unknown`: the monitor did not answer, or did not take the order.
   */
  outcome: z.enum(['moved', 'moved-and-back', 'would-move', 'refused', 'not-moved', 'not-back', 'unknown']),
  /** A signal asked for an early end. */
  interrupted: z.boolean(),
  /** Why it was refused, or what there is to know; each a sentence. */
  notes: z.array(z.string()),
  plan: z.nullable(
    z.object({
      step: z.enum(['yield', 'claim']),
      to: z.nullable(z.string()),
      why: z.string(),
      /** When it goes back, from the order on; null where it stays. */
      awayMs: z.nullable(z.number()),
    }),
  ),
  there: z.nullable(legSchema),
  back: z.nullable(legSchema),
  /** What a client on this node has met with, from the order to a second after the end. */
  client: z.nullable(
    z.object({
      probe: z.enum(['https', 'tcp']),
      everyMs: z.number(),
      timeoutMs: z.number(),
      attempts: z.number(),
      failed: z.number(),
      /** From the first of several failed attempts in a row to the next good one, at most. */
      longestGapMs: z.number(),
      /** From the first failed attempt to the last one. */
      failingMs: z.number(),
      /** How many attempts failed in which way. */
      failures: z.record(z.string(), z.number()),
      /** By how much an attempt began late, at most: this node was too busy to measure well. */
      lateMs: z.number(),
    }),
  ),
});

export type DrillReport = z.infer<typeof drillReportSchema>;

const EXIT_CODES: Readonly<Record<DrillReport['outcome'], number>> = {
  moved: 0,
  'moved-and-back': 0,
  'would-move': 0,
  refused: 1,
  'not-moved': 1,
  'not-back': 1,
  unknown: 2,
};

/** One that was interrupted is not what was asked for. */
export function drillExitCode({ outcome, interrupted }: DrillReport): number {
  return Math.max(EXIT_CODES[outcome], interrupted ? 1 : 0);
}

/** For people, in 80 columns. */
export function drillLines(report: DrillReport): readonly string[] {
  return [...report.notes, ...legLines(report), ...clientLines(report)].flatMap((text) =>
    wrapText(text, WIDTH),
  );
}

function legLines({ vip, there, back, outcome }: DrillReport): readonly string[] {
  if (there === null) return outcome === 'not-moved' ? [`The VIP ${vip} has not moved.`] : [];
  const gone = `The VIP ${vip} went to ${there.to ?? 'an unknown node'} within ${durationText(there.tookMs)}`;
  if (back !== null)
    return [`${gone}, and back to ${back.to ?? 'an unknown node'} within ${durationText(back.tookMs)}.`];
  return [outcome === 'not-back' ? `${gone}. It is not back: hawser move-vip` : `${gone}.`];
}

function clientLines({ client }: DrillReport): readonly string[] {
  if (client === null) return [];
  const { attempts, failed, longestGapMs, failingMs, failures, everyMs, lateMs } = client;
  const kinds = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
  const what = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  const gap =
    failed === 0
      ? ''
      : `; the longest gap was ${durationText(longestGapMs)}, all within ${durationText(failingMs)}`;
  const busy =
    lateMs > 5 * everyMs ? [`This node was busy: an attempt began ${durationText(lateMs)} late.`] : [];
  return [`Of ${attempts} connections to it ${failed} failed${what}${gap}.`, ...busy];
}
