import type { ServiceEndpoints } from './endpoints.ts';
import type { Ingress } from './ingress.ts';
import type { Namespace } from './namespace.ts';
import type { Route } from './route.ts';
import type { Secret } from './secret.ts';
import type { SecretReview } from './secret-reviews.ts';
import type { Service } from './service.ts';

/** The objects from which a configuration is built, in any order. */
export interface RouterObjects {
  readonly routes: readonly Route[];
  readonly ingresses: readonly Ingress[];
  readonly endpoints: readonly ServiceEndpoints[];
  readonly services: readonly Service[];
  readonly namespaces: readonly Namespace[];
  readonly secrets: readonly Secret[];
  /** One review for each Secret that a Route names. Undefined if none were requested, as when the objects come from a file: all are allowed then. */
  readonly secretReviews?: readonly SecretReview[];
}
