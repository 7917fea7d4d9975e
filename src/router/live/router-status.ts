import * as z from 'zod/mini';
import { lastChangeSchema } from '../../engine/reconcile/last-change-schema.ts';
import type { ServableDecision } from './left-out-routes.ts';

const routes = z.object({
  admitted: z.number(),
  /** How many are not served, by reason. */
  rejected: z.record(z.string(), z.number()),
  /** Those of them that HAProxy or the template cannot take, at most ten. */
  leftOut: z.array(z.object({ key: z.string(), reason: z.string(), message: z.string() })),
});

/** What `GET /status` of a router answers. */
export const routerStatusSchema = z.object({
  version: z.string(),
  /** Everything was listed once. */
  synced: z.boolean(),
  /** Null before the first decision. */
  routes: z.nullable(routes),
  /** Of all files that were rendered last; null before the first. */
  configSha256: z.nullable(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type RouterStatus = z.infer<typeof routerStatusSchema>;

const MOST_SHOWN = 10;

export function routeCounts({ decision, leftOut }: ServableDecision): z.infer<typeof routes> {
  const { admitted, rejected } = decision.admission;
  const counts: Record<string, number> = {};
  for (const { reason } of rejected) counts[reason] = (counts[reason] ?? 0) + 1;
  return {
    admitted: admitted.length,
    rejected: counts,
    leftOut: leftOut.slice(0, MOST_SHOWN).map(({ key, reason, message }) => ({ key, reason, message })),
  };
}
