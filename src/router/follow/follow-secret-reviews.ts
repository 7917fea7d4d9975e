import { once } from 'node:events';
import * as z from 'zod/mini';
import { askAccess } from '../../engine/kube/access-review.ts';
import type { ObjectRequest } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject } from '../../engine/kube/ask-object.ts';
import { trackOutage } from '../../engine/kube/outage.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { createSecretReviews, type SecretReviews } from './secret-reviews.ts';

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
    ...{ hear, nowMs: monotonicMs, signal },
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
