import * as z from 'zod/mini';
import { containerOf } from '../../cli/pod.ts';
import { costLevels } from '../../engine/reconcile/effect.ts';
import { daemonsOf, type PlannedProduct } from './planned-product.ts';

/** What `hawser plan --json` prints of these products; published as `schemas/plan.schema.json`. */
export function planSchema(products: readonly PlannedProduct[]) {
  const daemons = daemonsOf(products);
  const programs = [...new Set(daemons.map(({ name }) => name.split(' ')[0] ?? name))];
  const effectSchema = z.object({
    kind: z.enum(products.flatMap(({ effectLabels }) => Object.keys(effectLabels))),
    /** What it happens to: a VIP, a port; null where that is plain. */
    subject: z.nullable(z.string()),
    /** For people. */
    says: z.string(),
  });
  return z.object({
    v: z.literal(1),
    /** Whose plan it is; missing for the programs without a name. */
    instance: z.optional(z.string()),
    /** `refused`: it would stay as it is. `unknown`: something could not be looked at. */
    verdict: z.enum(['nothing', 'changes', 'refused', 'unknown']),
    /** The planned settings file; null if there is none. */
    settings: z.nullable(z.string()),
    files: z.array(
      z.object({
        program: z.enum(programs),
        path: z.string(),
        /** `not-served`: the file is as it should be, and the program runs on another one. */
        state: z.enum(['same', 'differs', 'not-served', 'refused', 'unknown']),
        /** As `diff -u` shows it; empty where nothing differs. */
        diff: z.string(),
        /** Why it would be refused or is not known, with the program's own words. */
        problem: z.nullable(z.string()),
      }),
    ),
    /** Static pods that `hawser install` would write anew. */
    manifests: z.array(z.object({ path: z.string(), diff: z.string() })),
    /** Containers that read settings only when they start. */
    restarts: z.array(
      z.object({
        container: z.enum(daemons.map(containerOf)),
        because: z.enum(['settings', 'older-than-settings', 'manifest']),
        /** The settings that differ, by their keys in the file. */
        keys: z.array(z.string()),
      }),
    ),
    cost: z.object({
      level: z.enum(costLevels),
      effects: z.array(effectSchema),
      /** Connections through this node's HAProxy. */
      sessions: z.object({
        now: z.nullable(z.number()),
        fate: z.enum(['kept', 'drained', 'cut']),
        withinMs: z.nullable(z.number()),
      }),
    }),
    notes: z.array(z.string()),
    /** What could not be looked at. */
    unknowns: z.array(z.string()),
  });
}

export type PlanReport = z.infer<ReturnType<typeof planSchema>>;

const EXIT_CODES: Readonly<Record<PlanReport['verdict'], number>> = {
  nothing: 0,
  changes: 1,
  refused: 2,
  unknown: 2,
};

export function exitCodeOf({ verdict }: PlanReport): number {
  return EXIT_CODES[verdict];
}
