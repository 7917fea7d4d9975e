import { createHash } from 'node:crypto';
import { oncePer } from '../../engine/system/once-per.ts';
import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';
import type { Decision } from '../decide/decide.ts';
import { rejectRoutes } from '../decide/reject-routes.ts';
import type { Refusal, RejectedRoute } from '../decide/verdict.ts';
import type { RouteBackend, RouterModel } from '../model.ts';

/** A decision, and those of its rejected routes that admission let in. */
export interface ServableDecision {
  readonly decision: Decision;
  readonly leftOut: readonly RejectedRoute[];
}

/** By key, what HAProxy said of a refused route. Undefined: it refused this route, or another one of the same trial. */
export type Words = ReadonlyMap<string, string | undefined>;

interface LeftOut {
  /** As it was when it was refused. */
  readonly backend: RouteBackend;
  readonly words: string | undefined;
  readonly atMs: number;
  /** In a row; 0 if another route may be the cause. */
  readonly failures: number;
}

/** A tenant who fixes a route is waiting for it; an unchanged route may have been refused for a reason that is gone. */
const CHANGED: RetryLimits = { firstMs: 500, longestMs: 15_000 };
const UNCHANGED: RetryLimits = { firstMs: 60_000, longestMs: 600_000 };

/** The routes that HAProxy has refused. */
export function createLeftOutRoutes(nowMs: () => number) {
  const all = new Map<string, LeftOut>();
  let newest: RouterModel = { backends: [] };
  /** Rarely needed: few routes are ever left out. */
  const byKey = oncePer(
    ({ backends }: RouterModel) => new Map(backends.map((backend) => [backend.key, backend])),
  );
  const isDue = (now: RouteBackend, { backend, words, atMs, failures }: LeftOut): boolean =>
    nowMs() >= atMs + retryPauseMs(failures, isSame(now, backend, words) ? UNCHANGED : CHANGED);
  return {
    /** The decision without them, even if they have changed since. A deleted route is forgotten. */
    servable: (decision: Decision): ServableDecision => {
      newest = decision.model;
      for (const key of all.keys()) if (!byKey(newest).has(key)) all.delete(key);
      const refusals = [...all].map(([key, { words }]) => [key, refusalOf(words)] as const);
      return withRefusals({ decision, leftOut: [] }, new Map(refusals));
    },
    /** Those of the backends that have words, or undefined, which changes nothing for a route that is left out. Returns what is new. */
    add: (backends: readonly RouteBackend[], words: Words): Words => {
      const news = new Map<string, string | undefined>();
      for (const backend of backends) {
        const { key } = backend;
        const [said, before] = [words.get(key), all.get(key)];
        if (!words.has(key) || (said === undefined && before !== undefined)) continue;
        if (before === undefined || before.words !== said) news.set(key, said);
        const failures = said === undefined ? 0 : (before?.failures ?? 0) + 1;
        all.set(key, { backend, words: said, atMs: nowMs(), failures });
      }
      return news;
    },
    /** Those to be validated again now, as they are in the newest decision: one that has changed soon, any other seldom. */
    due: (): readonly RouteBackend[] =>
      [...all].flatMap(([key, each]) => {
        const backend = byKey(newest).get(key);
        return backend !== undefined && isDue(backend, each) ? [backend] : [];
      }),
    /** There was no verdict on them. */
    postpone: (backends: readonly RouteBackend[]): void => {
      for (const { key } of backends) {
        const before = all.get(key);
        if (before !== undefined) all.set(key, { ...before, atMs: nowMs(), failures: before.failures + 1 });
      }
    },
    /** HAProxy accepts them. */
    remove: (backends: readonly RouteBackend[]): void => {
      for (const { key } of backends) all.delete(key);
    },
    /** Returns whether any was left out. */
    clear: (): boolean => {
      const isAny = all.size > 0;
      all.clear();
      return isAny;
    },
  };
}

export function withRefusals(
  { decision, leftOut }: ServableDecision,
  refusals: ReadonlyMap<string, Refusal>,
): ServableDecision {
  const next = rejectRoutes(decision, refusals);
  const more = next.admission.rejected.filter(({ key }) => refusals.has(key));
  return { decision: next, leftOut: [...leftOut, ...more] };
}

/** Pods change all the time: they matter only if HAProxy's error is about a server. */
export function isSame(one: RouteBackend, other: RouteBackend, words: string | undefined): boolean {
  if (one === other) return true;
  const servers = words !== undefined && !/\bserver\b/i.test(words) ? { servers: [], remarks: [] } : {};
  return fingerprintOf({ ...one, ...servers }) === fingerprintOf({ ...other, ...servers });
}

function refusalOf(words: string | undefined): Refusal {
  const subject =
    words === undefined ? 'this route, or one that came with it' : 'a configuration with this route';
  return {
    reason: 'ConfigurationRefused',
    message: `HAProxy refuses ${subject}${words === undefined || words === '' ? '' : `: ${words}`}`,
  };
}

function fingerprintOf(backend: RouteBackend): string {
  return createHash('sha256').update(JSON.stringify(backend)).digest('hex');
}
