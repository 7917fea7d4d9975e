import * as z from 'zod/mini';
import { lastChangeSchema } from '../../engine/monitor/last-change-schema.ts';
import { EXPIRES_SOON_MS, expiries } from '../decide/expiry.ts';
import type { ServableDecision } from '../decide/reject-routes.ts';
import type { RejectedRoute } from '../decide/verdict.ts';
import type { RouteBackend } from '../model.ts';
import { ownersRemarks } from './report-remarks.ts';

/** Limits the entries in these lists, since tenants choose their number. The counts are complete. */
export const MAX_SHOWN = 10;

const refusal = z.object({ key: z.string(), reason: z.string(), message: z.string() });

const routes = z.object({
  admitted: z.number(),
  /** Number of distinct hosts. */
  hosts: z.number(),
  /** How many are not served, by reason. */
  rejected: z.record(z.string(), z.number()),
  /** Routes that passed admission but are refused by HAProxy or the template; at most ten. */
  leftOut: z.array(refusal),
  /** The other rejected routes, at most ten. */
  refused: z.array(refusal),
  /** Routes that are served without something that they request, such as an invalid annotation: their number, and the first ten remarks. */
  ignoring: z.object({
    routes: z.number(),
    first: z.array(z.object({ key: z.string(), remark: z.string() })),
  }),
});

/** The routes' own certificates. Times are in ISO 8601. */
const certificates = z.object({
  served: z.number(),
  expired: z.number(),
  /** Expiring within 14 days. */
  expiring: z.number(),
  /** The certificates that expire first, at most ten. */
  first: z.array(z.object({ route: z.string(), host: z.string(), validTo: z.string() })),
});

/** One configuration. `changed` means that it was applied without a reload. */
const change = z.object({
  cause: z.string(),
  result: z.enum(['reloaded', 'changed', 'rejected', 'unreachable', 'failed']),
  message: z.optional(z.string()),
  tookMs: z.number(),
  agoMs: z.number(),
});

/** The response to `GET /status` of a router. */
export const routerStatusSchema = z.object({
  version: z.string(),
  /** Whether every kind was listed. */
  synced: z.boolean(),
  /** Why clients should not be sent here; null if they may. */
  unready: z.nullable(z.string()),
  /** Null before the first decision. */
  routes: z.nullable(routes),
  certificates: z.nullable(certificates),
  /** The certificate for hosts without their own; null before the first configuration. */
  defaultCertificate: z.nullable(z.object({ isGiven: z.boolean(), validTo: z.string() })),
  /** Counted since the router started. */
  changes: z.object({
    reloads: z.number(),
    withoutReload: z.number(),
    failed: z.number(),
    /** Newest first, at most ten. */
    last: z.array(change),
  }),
  /** Of all files of the last rendering; null before the first one. */
  configSha256: z.nullable(z.string()),
  lastChange: z.nullable(lastChangeSchema),
});

export type RouterStatus = z.infer<typeof routerStatusSchema>;

export function routeCounts({ decision, leftOut }: ServableDecision): z.infer<typeof routes> {
  const { admitted, rejected } = decision.admission;
  const counts: Record<string, number> = {};
  for (const { reason } of rejected) counts[reason] = (counts[reason] ?? 0) + 1;
  const own = new Set(leftOut.map(({ key }) => key));
  return {
    admitted: admitted.length,
    hosts: new Set(admitted.map(({ host }) => host)).size,
    rejected: counts,
    leftOut: shown(leftOut),
    refused: shown(rejected.filter(({ key }) => !own.has(key))),
    ignoring: ignoring(decision.model.backends),
  };
}

function ignoring(backends: readonly RouteBackend[]): z.infer<typeof routes>['ignoring'] {
  const found = backends
    .map((backend) => ({ key: backend.key, remarks: ownersRemarks(backend) }))
    .filter(({ remarks }) => remarks.length > 0);
  const first = found
    .slice(0, MAX_SHOWN)
    .flatMap(({ key, remarks }) => remarks.slice(0, MAX_SHOWN).map((remark) => ({ key, remark })));
  return { routes: found.length, first: first.slice(0, MAX_SHOWN) };
}

export function certificateCounts({ decision }: ServableDecision, now: number): z.infer<typeof certificates> {
  const all = expiries(decision.admission.admitted);
  const before = (limit: number) => all.filter(({ validToMs }) => validToMs < limit).length;
  const expired = before(now);
  return {
    served: all.length,
    expired,
    expiring: before(now + EXPIRES_SOON_MS) - expired,
    first: all
      .slice(0, MAX_SHOWN)
      .map(({ route, host, validToMs }) => ({ route, host, validTo: new Date(validToMs).toISOString() })),
  };
}

function shown(all: readonly RejectedRoute[]): z.infer<typeof refusal>[] {
  return all.slice(0, MAX_SHOWN).map(({ key, reason, message }) => ({ key, reason, message }));
}
