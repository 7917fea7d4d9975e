import * as z from 'zod/mini';
import { wrapText } from '../../engine/system/text/wrap-text.ts';

const WIDTH = 80;

/** What `hawser drain`, `undrain` and `move-vip` print with `--json`; published as `schemas/steering.schema.json`. */
export const steeringReportSchema = z.object({
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
      kind: z.enum(['api', 'ingress']),
      vip: z.string(),
      /** Name or MAC of the holder now, from the segment; null where no host answers for the VIP. */
      holder: z.nullable(z.string()),
      here: z.boolean(),
    }),
  ),
  /** From the order to the VIP's being where it was to be. */
  tookMs: z.nullable(z.number()),
});

export type SteeringReport = z.infer<typeof steeringReportSchema>;

const EXIT_CODES: Readonly<Record<SteeringReport['outcome'], number>> = {
  done: 0,
  'would-do': 0,
  refused: 1,
  'not-done': 1,
  unknown: 2,
};

export function exitCodeOf({ outcome }: SteeringReport): number {
  return EXIT_CODES[outcome];
}

/** For people: each note, and each VIP's holder. */
export function steeringLines({ notes, vips }: SteeringReport): readonly string[] {
  const where = vips.map(
    ({ kind, vip, holder, here }) =>
      `${kind === 'api' ? 'API' : 'ingress'} VIP ${vip}: ${here ? 'here' : (holder ?? 'no node answers for it')}`,
  );
  return [...notes, ...where].flatMap((text) => wrapText(text, WIDTH));
}
