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
  readonly onChange: () => void;
}

const TIMEOUT_MS = 5_000;
const SELF_REVIEW: ObjectRequest = {
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
};
const selfReview = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/**
 * Asks whether this process may `get` each Secret that a Route names. The router's own role lists and watches all Secrets but has no `get`: each
 * namespace grants it per Secret, as with openshift-router. Every user may request such reviews about itself.
 */
export function followSecretReviews(
  { session, log, onChange }: Api,
  signal: AbortSignal,
): Pick<SecretReviews, 'review'> & { readonly ended: Promise<void> } {
  const limits = { signal, timeoutMs: TIMEOUT_MS };
  const names = { failed: 'secret-access-unknown', recovered: 'secret-access-known' };
  const outage = trackOutage(log, names, {});
  let user: Promise<string | undefined> | undefined;
  const askUser = async (): Promise<string | undefined> => {
    const answer = await askObject(session, SELF_REVIEW, limits);
    // Kubernetes before 1.28 has no SelfSubjectReview.
    if (answer.kind === 'failure') user = undefined;
    return answer.kind === 'object'
      ? selfReview.safeParse(answer.value).data?.status.userInfo.username
      : undefined;
  };
  const reviews = createSecretReviews({
    ask: (secret) => askAccess(session, { verb: 'get', group: '', resource: 'secrets', ...secret }, limits),
    askUser: () => {
      user ??= askUser();
      return user;
    },
    onChange,
    nowMs: monotonicMs,
    signal,
    report: (failure) => {
      if (failure === undefined) outage.succeeded();
      else outage.failed(`Cannot check access to Secrets: ${failure.message}`, failure);
    },
  });
  const settled = async (): Promise<void> => {
    if (!signal.aborted) await once(signal, 'abort');
    await reviews.settled();
  };
  return { review: reviews.review, ended: settled() };
}
