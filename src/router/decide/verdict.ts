import { messageOf } from '../../engine/system/errors.ts';
import type { Route } from '../follow/route.ts';
import type { InsecurePolicy, PathMatch, RouteKind } from '../model.ts';
import type { CheckedTls } from './check-tls.ts';

/** Reasons in the condition Admitted of a route's status. */
export type RejectionReason =
  | 'NoHostValue'
  | 'InvalidHost'
  | 'HostAlreadyClaimed'
  | 'RouteNotAdmitted'
  | 'ExtendedValidationFailed'
  | 'ExternalCertificateValidationFailed'
  | 'ExternalCertificateGetFailed'
  /** hawser itself failed on this route: a bug, or an unexpected object. */
  | 'InternalError'
  /** A text of the route cannot be written into a configuration. */
  | 'Unprintable'
  /** HAProxy refuses the configuration because of this route. */
  | 'ConfigurationRefused';

/** What a route requests, before admission. */
export interface RouteClaim {
  readonly route: Route;
  readonly key: string;
  readonly kind: RouteKind;
  /** For a wildcard, the parent domain. */
  readonly host: string;
  readonly wildcard: boolean;
  /** '' matches every path. */
  readonly path: string;
  readonly pathMatch: PathMatch;
}

/** The claim of an admitted or rejected route. */
export function claimOf({ route, key, kind, host, wildcard, path, pathMatch }: RouteClaim): RouteClaim {
  return { route, key, kind, host, wildcard, path, pathMatch };
}

export interface AdmittedRoute extends RouteClaim {
  readonly insecure: InsecurePolicy;
  readonly tls: CheckedTls;
}

export interface RejectedRoute extends RouteClaim {
  readonly reason: RejectionReason;
  /** Shown to the tenant, so it never names a route of another namespace. */
  readonly message: string;
  /** The key of the route that holds the requested place. */
  readonly holder?: string;
}

export type Refusal = Pick<RejectedRoute, 'reason' | 'message' | 'holder'>;

/** An exception over one route rejects that route only and does not stop the decision on the others. */
export function internalError(error: unknown): {
  readonly reason: 'InternalError';
  readonly message: string;
} {
  return { reason: 'InternalError', message: `the router failed on this route: ${messageOf(error)}` };
}

export interface Admission {
  /** Both lists are sorted by key. */
  readonly admitted: readonly AdmittedRoute[];
  readonly rejected: readonly RejectedRoute[];
}

/** Moves these routes to the rejected ones, even if they were admitted. */
export function moveToRejected(admission: Admission, failed: readonly RejectedRoute[]): Admission {
  if (failed.length === 0) return admission;
  const { admitted, rejected } = admission;
  const keys = new Set(failed.map(({ key }) => key));
  return {
    admitted: admitted.filter(({ key }) => !keys.has(key)),
    rejected: [...rejected, ...failed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}
