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

/** Which routes HAProxy has refused. */
interface LeftOutRoutes {
  /** The decision without them, however they have changed since. One that has gone is forgotten. */
  readonly servable: (decision: Decision) => ServableDecision;
  /**
   * `words` by key: what HAProxy said of each route. Undefined: it refuses this route, or another in the same trial; for a route that is already
   * left out this changes nothing. Returns the routes whose message changed.
   */
  readonly leaveOut: (
    backends: readonly RouteBackend[],
    words: ReadonlyMap<string, string | undefined>,
  ) => ReadonlyMap<string, string | undefined>;
  /** Those to be tried again now, as they are in the newest decision: one that has changed soon, any other seldom. */
  readonly due: () => readonly RouteBackend[];
  /** They could not be tried. */
  readonly postpone: (backends: readonly RouteBackend[]) => void;
  /** The reason may have gone for all of them: they are due now, or, if `all`, let in at once. Whether any was. */
  readonly forgive: (all: boolean) => boolean;
  /** HAProxy takes them. */
  readonly release: (backends: readonly RouteBackend[]) => void;
}

interface Known {
  /** When it was refused. */
  readonly backend: RouteBackend;
  readonly words: string | undefined;
  readonly refusedMs: number;
  /** In a row; 0 where it is not known to be this one. */
  readonly failures: number;
}

/** A tenant who mends a route waits for it; one that stays as it is may have been refused for a reason that has passed. */
const CHANGED: RetryLimits = { firstMs: 500, longestMs: 15_000 };
const UNCHANGED: RetryLimits = { firstMs: 60_000, longestMs: 600_000 };

export function createLeftOutRoutes(nowMs: () => number): LeftOutRoutes {
  const known = new Map<string, Known>();
  let newest: RouterModel = { backends: [] };
  /** Few are ever left out, so that this is seldom asked for. */
  const byKey = oncePer(
    ({ backends }: RouterModel) => new Map(backends.map((backend) => [backend.key, backend])),
  );
  const isDue = (key: string, { backend, words, refusedMs, failures }: Known): boolean => {
    const now = byKey(newest).get(key);
    if (now === undefined) return false;
    const isChanged = !isSame(now, backend, words);
    return nowMs() >= refusedMs + retryPauseMs(failures, isChanged ? CHANGED : UNCHANGED);
  };
  const refuse = (backend: RouteBackend, words: string | undefined, failures: number) =>
    known.set(backend.key, { backend, words, refusedMs: nowMs(), failures });
  return {
    servable: (decision) => {
      newest = decision.model;
      for (const key of known.keys()) if (!byKey(newest).has(key)) known.delete(key);
      const refusals = [...known].map(([key, { words }]) => [key, refusalOf(words)] as const);
      return withRefusals({ decision, leftOut: [] }, new Map(refusals));
    },
    leaveOut: (backends, words) => {
      const news = new Map<string, string | undefined>();
      for (const backend of backends) {
        const { key } = backend;
        const [said, before] = [words.get(key), known.get(key)];
        if (!words.has(key) || (said === undefined && before !== undefined)) continue;
        if (before === undefined || before.words !== said) news.set(key, said);
        refuse(backend, said, said === undefined ? 0 : (before?.failures ?? 0) + 1);
      }
      return news;
    },
    due: () =>
      [...known].flatMap(([key, each]) => {
        const backend = byKey(newest).get(key);
        return backend !== undefined && isDue(key, each) ? [backend] : [];
      }),
    postpone: (backends) => {
      for (const { key } of backends) {
        const before = known.get(key);
        if (before !== undefined) refuse(before.backend, before.words, before.failures + 1);
      }
    },
    forgive: (all) => {
      const isAny = all && known.size > 0;
      if (all) known.clear();
      for (const [key, each] of known) known.set(key, { ...each, refusedMs: Number.NEGATIVE_INFINITY });
      return isAny;
    },
    release: (backends) => {
      for (const { key } of backends) known.delete(key);
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

/** Pods come and go all the time: they count only where HAProxy's words are about one. */
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
