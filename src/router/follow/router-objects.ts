import type { ServiceEndpoints } from './endpoints.ts';
import type { Ingress } from './ingress.ts';
import type { Namespace } from './namespace.ts';
import type { Route } from './route.ts';
import type { Secret } from './secret.ts';
import type { SecretReview } from './secret-reviews.ts';
import type { Service } from './service.ts';

/** Everything that a configuration is made of, in any order. */
export interface RouterObjects {
  readonly routes: readonly Route[];
  readonly ingresses: readonly Ingress[];
  readonly endpoints: readonly ServiceEndpoints[];
  readonly services: readonly Service[];
  readonly namespaces: readonly Namespace[];
  readonly secrets: readonly Secret[];
  /** Of every Secret that a Route names. Left out: nobody was asked, as where the objects come from a file, and all are allowed. */
  readonly secretReviews?: readonly SecretReview[];
}
