import type { AccessAnswer } from '../../engine/kube/access-review.ts';
import { isSameList } from '../../engine/system/same-list.ts';
import { createWorkQueue, startWorkers, type WorkResult } from '../../engine/system/time/workqueue.ts';
import { keyOf } from '../metadata.ts';
import type { Route } from './route.ts';

/** Whether the API allows the router to get a Secret that a Route names. */
export interface SecretReview {
  readonly namespace: string;
  readonly name: string;
  /** `unknown` if the API gave no answer. */
  readonly verdict: 'allowed' | 'denied' | 'unknown';
  /** The router's user, such as `system:serviceaccount:NAMESPACE:NAME`, if the API reports it. */
  readonly user?: string;
}

/** Routes with the reviews of the Secrets that they name. */
interface ReviewedRoutes {
  readonly routes: readonly Route[];
  /** The same array until a review changes. */
  readonly secretReviews: readonly SecretReview[];
}

export interface SecretReviews {
  /**
   * Returns these Routes without those whose Secret review is pending: such a Route keeps its previous version, or is left out if it is new, so
   * that each change gets one decision and one status. Returns undefined until every Route of the first list has its review, for at most ten
   * seconds.
   */
  readonly review: (routes: readonly Route[]) => ReviewedRoutes | undefined;
  /** Resolves once no review is in progress. */
  readonly settled: () => Promise<void>;
}

interface Dependencies {
  /** Whether this process may get the Secret. Never throws. */
  readonly ask: (secret: SecretName) => Promise<AccessAnswer>;
  /** The user name of this process; undefined if the API does not report it. Never throws. */
  readonly askUser: () => Promise<string | undefined>;
  /** Called when a review has changed. */
  readonly onChange: () => void;
  /** Called with each failed request, and with undefined after each answer. */
  readonly report: (failure: { readonly kind: string; readonly message: string } | undefined) => void;
  /** Monotonic clock. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

interface Entry extends SecretName {
  readonly review?: SecretReview;
  /** When the Secret was first requested. */
  readonly sinceMs: number;
}

const MAX_CONCURRENT = 8;
/** At this rate, ten thousand Secrets are reviewed again within eight minutes. */
const RECHECK_LIMITS = { concurrency: 4, rate: { perSecond: 20, burst: 10 } };
/** How long a revoked Role may go unnoticed. */
const ALLOWED_RECHECK_MS = 60_000;
/** Shorter, since an operator or a tenant may be waiting for a new Role to take effect. */
const OTHERS_RECHECK_MS = 5_000;
const FAILURE_RETRY_MS = 1_000;
/** A Route waits this long for its first review, which is then `unknown`. */
const FIRST_ANSWER_MS = 10_000;
/** How long the first decision waits for Secrets of later lists: usually the API answers within milliseconds. */
const GRACE_MS = 1_000;

/**
 * Asks the API which of the Routes' Secrets this process may get, once for each Secret. The last answer stays valid while the API is unreachable.
 * Namespaces take turns, and new Secrets do not wait for repeated reviews.
 */
export function createSecretReviews({
  ask,
  askUser,
  onChange,
  report,
  nowMs,
  signal,
}: Dependencies): SecretReviews {
  const entries = new Map<string, Entry>();
  const pending = new Set<string>();
  const shared = {
    retry: { firstMs: FAILURE_RETRY_MS, longestMs: FAILURE_RETRY_MS },
    groupOf: (key: string) => key.slice(0, key.indexOf(':')),
  };
  const first = createWorkQueue({ concurrency: MAX_CONCURRENT, ...shared });
  const again = createWorkQueue({ ...RECHECK_LIMITS, ...shared });
  let user: string | undefined;
  let reviews: readonly SecretReview[] = [];
  let last: { readonly input: readonly Route[]; readonly routes: readonly Route[] } | undefined;
  let isReady = false;
  let isStale = false;
  /** The Secrets of the first list that are not reviewed yet. */
  let awaited: { readonly keys: Set<string>; readonly sinceMs: number } | undefined;
  const isWaiting = (): boolean => {
    if (awaited === undefined) return true;
    const forMs = nowMs() - awaited.sinceMs;
    return (pending.size > 0 && forMs < GRACE_MS) || (awaited.keys.size > 0 && forMs < FIRST_ANSWER_MS);
  };

  const record = (key: string, entry: Entry, verdict: SecretReview['verdict']): SecretReview => {
    const { namespace, name, review } = entry;
    const isSame = review?.verdict === verdict && (verdict !== 'denied' || review.user === user);
    const next: SecretReview = isSame
      ? review
      : { namespace, name, verdict, ...(verdict === 'denied' && user !== undefined && { user }) };
    entries.set(key, { ...entry, review: next });
    const wasPending = pending.delete(key);
    awaited?.keys.delete(key);
    if (isSame && !wasPending) return next;
    isStale = true;
    // Until the first reviews are complete, no decision depends on a single one.
    if (isReady || !isWaiting()) onChange();
    return next;
  };

  /** The review after this answer; undefined before the first one. */
  const reviewAfter = (key: string, entry: Entry, answer: AccessAnswer): SecretReview | undefined => {
    if (!('message' in answer)) {
      report(undefined);
      return record(key, entry, answer.kind);
    }
    report({ kind: `${answer.status ?? 'no answer'}`, message: answer.message });
    // The wait for the first decision may have ended without an answer.
    if (!isReady && !isWaiting()) onChange();
    const isUnanswered = entry.review === undefined && nowMs() >= entry.sinceMs + FIRST_ANSWER_MS;
    return isUnanswered ? record(key, entry, 'unknown') : entry.review;
  };

  const requestReview = async (key: string): Promise<number | undefined> => {
    const { namespace = '', name = '' } = entries.get(key) ?? {};
    const answer = await ask({ namespace, name });
    if (answer.kind === 'denied') user ??= await askUser();
    const entry = entries.get(key);
    const review = signal.aborted || entry === undefined ? undefined : reviewAfter(key, entry, answer);
    return review && (review.verdict === 'allowed' ? ALLOWED_RECHECK_MS : OTHERS_RECHECK_MS);
  };
  const reviewFirst = async (key: string): Promise<WorkResult> => {
    const recheckMs = await requestReview(key);
    if (recheckMs === undefined) return { kind: 'failed' };
    again.add(key, nowMs() + recheckMs);
    repeaters.pump();
    return { kind: 'done' };
  };
  const reviewAgain = async (key: string): Promise<WorkResult> => {
    const recheckMs = await requestReview(key);
    return recheckMs === undefined ? { kind: 'done' } : { kind: 'done', againMs: recheckMs };
  };
  const workers = startWorkers(first, reviewFirst, nowMs, signal);
  const repeaters = startWorkers(again, reviewAgain, nowMs, signal);

  const track = (routes: readonly Route[]): void => {
    for (const { namespace, name } of namedSecrets(routes)) {
      const key = keyOf({ namespace, name });
      if (entries.has(key)) continue;
      entries.set(key, { namespace, name, sinceMs: nowMs() });
      pending.add(key);
      first.add(key);
    }
    workers.pump();
  };

  /** The first decision needs an answer for every Route: one that was left out would lose its host. */
  const endPending = (): void => {
    for (const key of pending) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      const { namespace, name } = entry;
      entries.set(key, { ...entry, review: { namespace, name, verdict: 'unknown' } });
    }
    pending.clear();
  };

  const forget = (lists: readonly (readonly Route[])[]): void => {
    const kept = new Set(lists.flatMap(namedSecrets).map(keyOf));
    for (const key of entries.keys()) {
      if (kept.has(key)) continue;
      entries.delete(key);
      pending.delete(key);
      for (const queue of [first, again]) queue.forget(key);
    }
  };

  const withoutPending = (routes: readonly Route[]): readonly Route[] => {
    if (pending.size === 0) return routes;
    const before = new Map(last?.routes.map((route) => [keyOf(route), route]));
    return routes.flatMap((route) => {
      const secret = secretOf(route);
      if (secret === undefined || !pending.has(keyOf(secret))) return [route];
      const earlier = before.get(keyOf(route));
      return earlier?.uid === route.uid ? [earlier] : [];
    });
  };

  return {
    review: (input) => {
      if (last?.input !== input || isStale) {
        track(input);
        awaited ??= { keys: new Set(pending), sinceMs: nowMs() };
        if (!isReady && isWaiting()) return undefined;
        if (!isReady) endPending();
        isReady = true;
        last = { input, routes: withoutPending(input) };
        forget([input, last.routes]);
        isStale = false;
        const now = [...entries.values()].flatMap(({ review }) => review ?? []);
        if (!isSameList(now, reviews)) reviews = now;
      }
      return { routes: last.routes, secretReviews: reviews };
    },
    settled: async () => {
      await Promise.all([workers.settled(), repeaters.settled()]);
    },
  };
}

/** Most Routes name no Secret, so `filter` runs first. */
function namedSecrets(routes: readonly Route[]): readonly SecretName[] {
  return routes.filter(({ tls }) => tls?.secret !== undefined).flatMap((route) => secretOf(route) ?? []);
}

function secretOf({ namespace, ingress, tls }: Route): SecretName | undefined {
  return tls?.secret === undefined || ingress !== undefined ? undefined : { namespace, name: tls.secret };
}
