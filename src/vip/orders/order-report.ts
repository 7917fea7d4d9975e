import * as z from 'zod/mini';
import type { OutputFormat } from '../../cli/command-spec.ts';
import { structuredWriter } from '../../cli/run-command.ts';
import { durationText } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';
import { vipKinds, vipKindText } from '../../keepalived/vip-kind.ts';

const WIDTH = 80;

/** What `hawser drain`, `undrain` and `move-vip` print with `--json`; published as `schemas/steering.schema.json`. */
export const orderReportSchema = z.object({
  v: z.literal(1),
  command: z.enum(['drain', 'undrain', 'move-vip']),
  /** This node. */
  node: z.string(),
  /**
   * `done`; `would-do` of a dry run; `refused`: nothing was changed; `not-done`: the order was given, and a VIP is not
   * where it was to be; `unknown`: the monitor did not answer, or did not take the order.
   */
  outcome: z.enum(['done', 'would-do', 'refused', 'not-done', 'unknown']),
  /** Why it was refused, or what did not happen, or what there is to know; each a sentence. */
  notes: z.array(z.string()),
  vips: z.array(
    z.object({
      kind: z.enum(vipKinds),
      vip: z.string(),
      /** Name or MAC of the holder now, from the segment; null where no host answers for the VIP. */
      holder: z.nullable(z.string()),
      here: z.boolean(),
    }),
  ),
  /** From the order to the VIP's being where it was to be. */
  tookMs: z.nullable(z.number()),
  /** What clients of the VIP saw while `move-vip` moved it; null for a drain, or without a move. Times are milliseconds. */
  probe: z.nullable(
    z.object({
      /** The node that probed, and what: HTTPS requests or TCP connections to `target`. */
      from: z.string(),
      how: z.enum(['https', 'tcp']),
      target: z.string(),
      /** The new holder. The first probe that it answered ended so long after the order; null if none did. */
      holder: z.string(),
      answeredMs: z.nullable(z.number()),
      attempts: z.number(),
      failed: z.number(),
      /** The longest time between two answers; null without any. */
      longestGapMs: z.nullable(z.number()),
    }),
  ),
});

export type OrderReport = z.infer<typeof orderReportSchema>;
type Probe = NonNullable<OrderReport['probe']>;

const EXIT_CODES: Readonly<Record<OrderReport['outcome'], number>> = {
  done: 0,
  'would-do': 0,
  refused: 1,
  'not-done': 1,
  unknown: 2,
};

export function exitCodeOf({ outcome }: OrderReport): number {
  return EXIT_CODES[outcome];
}

/** The report as text for a terminal: each note, the result of the probe, and each VIP's holder. */
export function orderLines({ notes, vips, node, probe }: OrderReport): readonly string[] {
  const where = vips.map(
    ({ kind, vip, holder, here }) =>
      `${vipKindText[kind]} VIP ${vip}: ${here ? 'here' : (holder ?? 'no node answers for it')}`,
  );
  const measured = probe === null ? [] : probeLines(probe, node);
  return [...notes, ...measured, ...where].flatMap((text) => wrapText(text, WIDTH));
}

/** States the network path too: on the node that holds the VIP, a probe never leaves the machine. */
function probeLines(
  { from, how, target, holder, answeredMs, attempts, failed, longestGapMs }: Probe,
  node: string,
): readonly string[] {
  const count = `${attempts} probes, ${failed} failed`;
  const first =
    answeredMs === null
      ? `The VIP moved to ${holder}, but nothing answered at ${target} from there (${count})`
      : `VIP answered from ${holder} after ${durationText(answeredMs)}; longest gap ${durationText(longestGapMs ?? 0)} (${count})`;
  const what = how === 'https' ? 'HTTPS requests' : 'TCP connections';
  const path =
    holder === node
      ? 'over the network until the move, locally after it'
      : 'locally until the move, over the network after it';
  return [first, `Probed from ${from} with ${what} to ${target}: ${path}.`];
}

/** Prints the report, with failures on stderr, and returns the exit code. */
export async function printReport(report: OrderReport, json: OutputFormat | undefined): Promise<number> {
  const exitCode = exitCodeOf(report);
  if (json) process.stdout.write(`${(await structuredWriter(json))(report)}\n`);
  else (exitCode === 0 ? process.stdout : process.stderr).write(`${orderLines(report).join('\n')}\n`);
  return exitCode;
}
