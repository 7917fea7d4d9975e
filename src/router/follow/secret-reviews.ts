import type { AccessAnswer } from '../../engine/kube/access-review.ts';
import { isSameList } from '../../engine/system/same-list.ts';
import { keyOf } from '../metadata.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Route } from './route.ts';
import type { SecretReview } from './secret-review.ts';

/** Routes with the known reviews of the Secrets that they name. */
export interface ReviewedRoutes {
  readonly routes: readonly Route[];
  /** The same list until one of them says something else. */
  readonly secretReviews: readonly SecretReview[];
}

export interface SecretReviews {
  /**
   * These Routes, except those with a pending Secret review: such a Route stays as it was, or is left out if it is new, so that it gets one
   * decision and one status. Undefined until each of the first Routes has its review.
   */
  readonly review: (routes: readonly Route[]) => ReviewedRoutes | undefined;
  /** Repeats reviews that are old enough. Call it every LOOK_EVERY_MS. */
  readonly lookAgain: () => void;
  /** Resolves once no review is in progress. */
  readonly settled: () => Promise<void>;
}

interface Means {
  /** Whether this process may get that Secret. Never throws. */
  readonly ask: (secret: Named) => Promise<AccessAnswer>;
  /** Who this process is; undefined if the API does not say. Never throws. */
  readonly askUser: () => Promise<string | undefined>;
  /** Something else is known. */
  readonly hear: () => void;
  /** Undefined: the API has answered. */
  readonly tell: (failure: { readonly kind: string; readonly message: string } | undefined) => void;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

interface Known extends Named {
  readonly review?: SecretReview;
  /** The first question about it. */
  readonly sinceMs: number;
  readonly askedMs: number;
}

export const LOOK_EVERY_MS = 500;
const MOST_AT_ONCE = 8;
/** Ten thousand Secrets are asked about again in eight minutes. */
const MOST_AGAIN = 10;
/** A Role that a namespace takes back. */
const ALLOWED_AGAIN_MS = 60_000;
/** An operator or a tenant may be waiting for a new Role to take effect. */
const OTHERS_AGAIN_MS = 5_000;
const FAILED_AGAIN_MS = 1_000;
/** A Route waits this long for the first answer, which is then unknown. */
const PATIENCE_MS = 10_000;

/**
 * Asks the API which of the Routes' Secrets this process may get. There is one answer for each named Secret. The last answer holds while the API
 * does not answer. Namespaces are served round-robin, and new Secrets come first.
 */
export function createSecretReviews({ ask, askUser, hear, tell, nowMs, signal }: Means): SecretReviews {
  const known = new Map<string, Known>();
  const pending = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const [news, again] = [createFairQueue(), createFairQueue()];
  let user: string | undefined;
  let mayAskAgain = 0;
  let reviews: readonly SecretReview[] = [];
  let last: { readonly given: readonly Route[]; readonly routes: readonly Route[] } | undefined;
  let [isReady, isStale] = [false, false];

  const learn = (key: string, found: Known, verdict: SecretReview['verdict']): void => {
    const { namespace, name, review } = found;
    const isSame = review?.verdict === verdict && (verdict !== 'denied' || review.user === user);
    const next: SecretReview = isSame
      ? review
      : { namespace, name, verdict, ...(verdict === 'denied' && user !== undefined && { user }) };
    known.set(key, { ...found, review: next, askedMs: nowMs() });
    const wasPending = pending.delete(key);
    if (isSame && !wasPending) return;
    isStale = true;
    // Before that nothing is decided.
    if (isReady || pending.size === 0) hear();
  };

  const askAbout = async (key: string, { namespace, name }: Known): Promise<void> => {
    const answer = await ask({ namespace, name });
    if (answer.kind === 'denied') user ??= await askUser();
    running.delete(key);
    const found = known.get(key);
    if (signal.aborted) return;
    if (found !== undefined) take(key, found, answer);
    pump();
  };

  const take = (key: string, found: Known, answer: AccessAnswer): void => {
    if (!('message' in answer)) {
      tell(undefined);
      learn(key, found, answer.kind);
      return;
    }
    tell({ kind: `${answer.status ?? 'no answer'}`, message: answer.message });
    const isUnanswered = found.review === undefined && nowMs() >= found.sinceMs + PATIENCE_MS;
    if (isUnanswered) learn(key, found, 'unknown');
    else known.set(key, { ...found, askedMs: nowMs() });
  };

  const nextKey = (): string | undefined => {
    const first = news.take();
    if (first !== undefined || mayAskAgain === 0) return first;
    mayAskAgain -= 1;
    return again.take();
  };

  const pump = (): void => {
    while (running.size < MOST_AT_ONCE && !signal.aborted) {
      const key = nextKey();
      if (key === undefined) return;
      const found = known.get(key);
      if (found !== undefined && !running.has(key)) running.set(key, askAbout(key, found));
    }
  };

  const isDue = ({ review, askedMs }: Known): boolean => {
    if (review === undefined) return nowMs() >= askedMs + FAILED_AGAIN_MS;
    return nowMs() >= askedMs + (review.verdict === 'allowed' ? ALLOWED_AGAIN_MS : OTHERS_AGAIN_MS);
  };

  const note = (routes: readonly Route[]): void => {
    for (const { namespace, name } of named(routes)) {
      const key = keyOf({ namespace, name });
      if (known.has(key)) continue;
      known.set(key, { namespace, name, sinceMs: nowMs(), askedMs: nowMs() });
      pending.add(key);
      news.add(namespace, key);
    }
  };

  const forget = (lists: readonly (readonly Route[])[]): void => {
    const kept = new Set(lists.flatMap(named).map(keyOf));
    for (const key of known.keys()) {
      if (kept.has(key)) continue;
      known.delete(key);
      pending.delete(key);
    }
  };

  const asFarAsKnown = (given: readonly Route[]): readonly Route[] => {
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
        pump();
        if (!isReady && pending.size > 0) return undefined;
        isReady = true;
        last = { given, routes: asFarAsKnown(given) };
        forget([given, last.routes]);
        isStale = false;
        const now = [...known.values()].flatMap(({ review }) => review ?? []);
        if (!isSameList(now, reviews)) reviews = now;
      }
      return { routes: last.routes, secretReviews: reviews };
    },
    lookAgain: () => {
      mayAskAgain = MOST_AGAIN;
      for (const [key, found] of known)
        if (!running.has(key) && isDue(found))
          (found.review === undefined ? news : again).add(found.namespace, key);
      pump();
    },
    settled: async () => {
      await Promise.all(running.values());
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
