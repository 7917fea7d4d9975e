import * as z from 'zod/mini';
import { lastChangeSchema } from '../../engine/monitor/last-change-schema.ts';
import { EXPIRES_SOON_MS, expiries } from '../decide/expiry.ts';
import type { ServableDecision } from '../decide/reject-routes.ts';
import type { RejectedRoute } from '../decide/verdict.ts';
import type { RouteBackend } from '../model.ts';
import { ownersRemarks } from './report-remarks.ts';

/** Tenants can make these lists as long as they like: this many entries are shown, and all are counted. */
export const MOST_SHOWN = 10;

const refusal = z.object({ key: z.string(), reason: z.string(), message: z.string() });

const routes = z.object({
  admitted: z.number(),
  /** Number of distinct hosts. */
  hosts: z.number(),
  /** How many are not served, by reason. */
  rejected: z.record(z.string(), z.number()),
  /** Routes that passed admission, but that HAProxy or the template refuses; at most ten. */
  leftOut: z.array(refusal),
  /** The other rejected routes, at most ten. */
  refused: z.array(refusal),
  /** Routes that are served without something that they ask for, such as a wrong annotation: how many, and the first ten remarks. */
  ignoring: z.object({
    routes: z.number(),
    first: z.array(z.object({ key: z.string(), remark: z.string() })),
  }),
});

/** The routes' own certificates; times are ISO 8601. */
const certificates = z.object({
  served: z.number(),
  expired: z.number(),
  /** Within 14 days. */
  expiring: z.number(),
  /** The first to expire, at most ten. */
  first: z.array(z.object({ route: z.string(), host: z.string(), validTo: z.string() })),
});

/** One configuration; `changed`: applied without a reload. */
const change = z.object({
  cause: z.string(),
  result: z.enum(['reloaded', 'changed', 'rejected', 'unreachable', 'failed']),
  message: z.optional(z.string()),
  tookMs: z.number(),
  agoMs: z.number(),
});

/** What `GET /status` of a router answers. */
export const routerStatusSchema = z.object({
  version: z.string(),
  /** Everything was listed once. */
  synced: z.boolean(),
  /** Why clients should not come here; null if they may. */
  unready: z.nullable(z.string()),
  /** Null before the first decision. */
  routes: z.nullable(routes),
  certificates: z.nullable(certificates),
  /** For hosts without their own; null before the first configuration. */
  defaultCertificate: z.nullable(z.object({ isGiven: z.boolean(), validTo: z.string() })),
  /** Since the router was started. */
  changes: z.object({
    reloads: z.number(),
    withoutReload: z.number(),
    failed: z.number(),
    /** The newest first, at most ten. */
    last: z.array(change),
  }),
  /** Of all files that were rendered last; null before the first. */
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
    .slice(0, MOST_SHOWN)
    .flatMap(({ key, remarks }) => remarks.slice(0, MOST_SHOWN).map((remark) => ({ key, remark })));
  return { routes: found.length, first: first.slice(0, MOST_SHOWN) };
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
      .slice(0, MOST_SHOWN)
      .map(({ route, host, validToMs }) => ({ route, host, validTo: new Date(validToMs).toISOString() })),
  };
}

function shown(all: readonly RejectedRoute[]): z.infer<typeof refusal>[] {
  return all.slice(0, MOST_SHOWN).map(({ key, reason, message }) => ({ key, reason, message }));
}
