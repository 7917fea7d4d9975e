import type { Route } from '../follow/route.ts';
import type { SecretReview } from '../follow/secret-reviews.ts';
import { keyOf } from '../metadata.ts';
import type { Refusal } from './verdict.ts';

/** By the Secret's key. Undefined: nobody was asked, as for a file of objects. */
export type SecretReviews = ReadonlyMap<string, SecretReview> | undefined;

/**
 * Why a Route may not use the Secret that it names; undefined if it may. Its namespace has to let the router get that Secret: a user who may
 * write Routes may not always read Secrets, and a served certificate is used without being read. Permission is checked before the Secret's
 * existence, so that a tenant cannot probe for names. Ingresses name Secrets for every controller, and need no permission.
 */
export function consentRefusal(
  { namespace, ingress, tls }: Pick<Route, 'namespace' | 'ingress' | 'tls'>,
  reviews: SecretReviews,
): Refusal | undefined {
  if (reviews === undefined || ingress !== undefined || tls?.secret === undefined) return undefined;
  const review = reviews.get(keyOf({ namespace, name: tls.secret }));
  if (review?.verdict === 'allowed') return undefined;
  const secret = `Secret ${namespace}/${tls.secret}`;
  const message =
    review?.verdict === 'denied'
      ? `the router may not get ${secret}: expected a Role in namespace ${namespace} with get for this Secret, and a RoleBinding of it to ${review.user ?? "the router's service account"}`
      : `the API does not say whether the router may get ${secret}`;
  return { reason: 'ExternalCertificateValidationFailed', message };
}
