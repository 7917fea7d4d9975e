import { once } from 'node:events';
import * as z from 'zod/mini';
import { type AccessAnswer, askAccess } from '../../engine/kube/access-review.ts';
import type { ObjectRequest } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject } from '../../engine/kube/ask-object.ts';
import { trackOutage } from '../../engine/kube/outage.ts';
import type { Log } from '../../engine/system/log.ts';
import { isSameList } from '../../engine/system/same-list.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { createWorkQueue, startWorkers, type WorkResult } from '../../engine/system/time/workqueue.ts';
import { keyOf } from '../metadata.ts';
import type { Route } from './route.ts';

/** Whether the router may get a Secret that a Route names, as the API says. */
export interface SecretReview {
  readonly namespace: string;
  readonly name: string;
  /** `unknown` where the API does not say. */
  readonly verdict: 'allowed' | 'denied' | 'unknown';
  /** The router's user, such as `system:serviceaccount:NAMESPACE:NAME`, where the API says it. */
  readonly user?: string;
}

/** Routes with the reviews of the Secrets that they name. */
interface ReviewedRoutes {
  readonly routes: readonly Route[];
  /** The same list until a review changes. */
  readonly secretReviews: readonly SecretReview[];
}

export interface SecretReviews {
  /**
   * These Routes, except those with a pending Secret review: such a Route stays as it was, or is left out if it is new, so that it gets one
   * decision and one status. Undefined until each of the first Routes has its review.
   */
  readonly review: (routes: readonly Route[]) => ReviewedRoutes | undefined;
  /** Resolves once no review is in progress. */
  readonly settled: () => Promise<void>;
}

interface Means {
  /** Whether this process may get that Secret. Never throws. */
  readonly ask: (secret: Named) => Promise<AccessAnswer>;
  /** Who this process is; undefined if the API does not say. Never throws. */
  readonly askUser: () => Promise<string | undefined>;
  /** A review has changed. */
  readonly hear: () => void;
  /** Undefined: the API has answered. */
  readonly report: (failure: { readonly kind: string; readonly message: string } | undefined) => void;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

interface Entry extends Named {
  readonly review?: SecretReview;
  /** Of the first question about it. */
  readonly sinceMs: number;
}

const MOST_AT_ONCE = 8;
/** Ten thousand Secrets are asked about again in eight minutes. */
const REPEATS = { concurrency: 4, rate: { perSecond: 20, burst: 10 } };
/** A Role that a namespace takes back. */
const ALLOWED_AGAIN_MS = 60_000;
/** An operator or a tenant may be waiting for a new Role to take effect. */
const OTHERS_AGAIN_MS = 5_000;
const FAILED_AGAIN_MS = 1_000;
/** A Route waits this long for the first answer, which is then unknown. */
const PATIENCE_MS = 10_000;

/**
 * Asks the API which of the Routes' Secrets this process may get. There is one answer for each named Secret. The last answer holds while the API
 * does not answer. Namespaces take turns, and new Secrets do not wait for repeated questions.
 */
export function createSecretReviews({ ask, askUser, hear, report, nowMs, signal }: Means): SecretReviews {
  const entries = new Map<string, Entry>();
  const pending = new Set<string>();
  const shared = {
    retry: { firstMs: FAILED_AGAIN_MS, longestMs: FAILED_AGAIN_MS },
    groupOf: (key: string) => key.slice(0, key.indexOf(':')),
  };
  const first = createWorkQueue({ concurrency: MOST_AT_ONCE, ...shared });
  const again = createWorkQueue({ ...REPEATS, ...shared });
  let user: string | undefined;
  let reviews: readonly SecretReview[] = [];
  let last: { readonly given: readonly Route[]; readonly routes: readonly Route[] } | undefined;
  let isReady = false;
  let isStale = false;

  const learn = (key: string, entry: Entry, verdict: SecretReview['verdict']): SecretReview => {
    const { namespace, name, review } = entry;
    const isSame = review?.verdict === verdict && (verdict !== 'denied' || review.user === user);
    const next: SecretReview = isSame
      ? review
      : { namespace, name, verdict, ...(verdict === 'denied' && user !== undefined && { user }) };
    entries.set(key, { ...entry, review: next });
    const wasPending = pending.delete(key);
    if (isSame && !wasPending) return next;
    isStale = true;
    // Before that nothing is decided.
    if (isReady || pending.size === 0) hear();
    return next;
  };

  /** The review after this answer; undefined while there is none. */
  const reviewAfter = (key: string, entry: Entry, answer: AccessAnswer): SecretReview | undefined => {
    if (!('message' in answer)) {
      report(undefined);
      return learn(key, entry, answer.kind);
    }
    report({ kind: `${answer.status ?? 'no answer'}`, message: answer.message });
    const isUnanswered = entry.review === undefined && nowMs() >= entry.sinceMs + PATIENCE_MS;
    return isUnanswered ? learn(key, entry, 'unknown') : entry.review;
  };

  const askAbout = async (key: string): Promise<number | undefined> => {
    const { namespace = '', name = '' } = entries.get(key) ?? {};
    const answer = await ask({ namespace, name });
    if (answer.kind === 'denied') user ??= await askUser();
    const entry = entries.get(key);
    const review = signal.aborted || entry === undefined ? undefined : reviewAfter(key, entry, answer);
    return review && (review.verdict === 'allowed' ? ALLOWED_AGAIN_MS : OTHERS_AGAIN_MS);
  };
  const askFirst = async (key: string): Promise<WorkResult> => {
    const againMs = await askAbout(key);
    if (againMs === undefined) return { kind: 'failed' };
    again.add(key, nowMs() + againMs);
    repeaters.pump();
    return { kind: 'done' };
  };
  const askAgain = async (key: string): Promise<WorkResult> => {
    const againMs = await askAbout(key);
    return againMs === undefined ? { kind: 'done' } : { kind: 'done', againMs };
  };
  const workers = startWorkers(first, askFirst, nowMs, signal);
  const repeaters = startWorkers(again, askAgain, nowMs, signal);

  const note = (routes: readonly Route[]): void => {
    for (const { namespace, name } of named(routes)) {
      const key = keyOf({ namespace, name });
      if (entries.has(key)) continue;
      entries.set(key, { namespace, name, sinceMs: nowMs() });
      pending.add(key);
      first.add(key);
    }
    workers.pump();
  };

  const forget = (lists: readonly (readonly Route[])[]): void => {
    const kept = new Set(lists.flatMap(named).map(keyOf));
    for (const key of entries.keys()) {
      if (kept.has(key)) continue;
      entries.delete(key);
      pending.delete(key);
      for (const queue of [first, again]) queue.forget(key);
    }
  };

  const withoutPending = (given: readonly Route[]): readonly Route[] => {
    if (pending.size === 0) return given;
    const before = new Map(last?.routes.map((route) => [keyOf(route), route]));
    return given.flatMap((route) => {
      const secret = secretOf(route);
      if (secret === undefined || !pending.has(keyOf(secret))) return [route];
      const earlier = before.get(keyOf(route));
      return earlier?.uid === route.uid ? [earlier] : [];
    });
  };

  return {
    review: (given) => {
      if (last?.given !== given || isStale) {
        note(given);
        if (!isReady && pending.size > 0) return undefined;
        isReady = true;
        last = { given, routes: withoutPending(given) };
        forget([given, last.routes]);
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

/** Few Routes name one. */
function named(routes: readonly Route[]): readonly Named[] {
  return routes.filter(({ tls }) => tls?.secret !== undefined).flatMap((route) => secretOf(route) ?? []);
}

function secretOf({ namespace, ingress, tls }: Route): Named | undefined {
  return tls?.secret === undefined || ingress !== undefined ? undefined : { namespace, name: tls.secret };
}

interface Api {
  readonly session: Pick<ApiSession, 'firstAnswer'>;
  readonly log: Log;
  readonly hear: () => void;
}

const TIMEOUT_MS = 5_000;
const WHO: ObjectRequest = {
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
};
const who = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/**
 * Asks whether this process may `get` each Secret that a Route names. The role with which all Secrets are listed and watched has no `get`: that is
 * what a namespace grants, Secret by Secret, as it does for openshift-router. Every user may ask such questions about itself.
 */
export function followSecretReviews(
  { session, log, hear }: Api,
  signal: AbortSignal,
): Pick<SecretReviews, 'review'> & { readonly ended: Promise<void> } {
  const limits = { signal, timeoutMs: TIMEOUT_MS };
  const names = { failed: 'secret-access-unknown', recovered: 'secret-access-known' };
  const outage = trackOutage(log, names, {});
  let user: Promise<string | undefined> | undefined;
  const askUser = async (): Promise<string | undefined> => {
    const answer = await askObject(session, WHO, limits);
    // Before Kubernetes 1.28 there is no such question.
    if (answer.kind === 'failure') user = undefined;
    return answer.kind === 'object' ? who.safeParse(answer.value).data?.status.userInfo.username : undefined;
  };
  const reviews = createSecretReviews({
    ask: (secret) => askAccess(session, { verb: 'get', group: '', resource: 'secrets', ...secret }, limits),
    askUser: () => {
      user ??= askUser();
      return user;
    },
    hear,
    nowMs: monotonicMs,
    signal,
    report: (failure) => {
      if (failure === undefined) outage.succeeded();
      else outage.failed(`Cannot ask whether Secrets may be used: ${failure.message}`, failure);
    },
  });
  const settled = async (): Promise<void> => {
    if (!signal.aborted) await once(signal, 'abort');
    await reviews.settled();
  };
  return { review: reviews.review, ended: settled() };
}
