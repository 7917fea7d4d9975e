import { messageOf } from '../../engine/system/errors.ts';
import type { Route } from '../follow/route.ts';
import type { InsecurePolicy, PathMatch, RouteKind } from '../model.ts';
import type { CheckedTls } from './check-tls.ts';

/** As the condition Admitted of a route's status has it. */
export type RejectionReason =
  | 'NoHostValue'
  | 'InvalidHost'
  | 'HostAlreadyClaimed'
  | 'RouteNotAdmitted'
  | 'ExtendedValidationFailed'
  | 'ExternalCertificateValidationFailed'
  | 'ExternalCertificateGetFailed'
  /** hawser failed on this route: its own mistake, or an object that it did not expect. */
  | 'InternalError'
  /** It has a text that no configuration can hold. */
  | 'Unprintable'
  /** HAProxy refuses a configuration with it. */
  | 'ConfigurationRefused';

/** What a route asks for, before admission. */
export interface RouteClaim {
  readonly route: Route;
  readonly key: string;
  readonly kind: RouteKind;
  /** Of a wildcard the parent domain. */
  readonly host: string;
  readonly wildcard: boolean;
  /** '' for every path. */
  readonly path: string;
  readonly pathMatch: PathMatch;
}

/** What an admitted or rejected route asked for. */
export function claimOf({ route, key, kind, host, wildcard, path, pathMatch }: RouteClaim): RouteClaim {
  return { route, key, kind, host, wildcard, path, pathMatch };
}

export interface AdmittedRoute extends RouteClaim {
  readonly insecure: InsecurePolicy;
  readonly tls: CheckedTls;
}

export interface RejectedRoute extends RouteClaim {
  readonly reason: RejectionReason;
  /** For the tenant: it names no route of another namespace. */
  readonly message: string;
  /** The key of the route that has the place this one asked for. */
  readonly holder?: string;
}

export type Refusal = Pick<RejectedRoute, 'reason' | 'message' | 'holder'>;

/** An exception over one route costs that route only, not the pass over all of them. */
export function internalError(error: unknown): {
  readonly reason: 'InternalError';
  readonly message: string;
} {
  return { reason: 'InternalError', message: `the router failed on this route: ${messageOf(error)}` };
}

export interface Admission {
  /** Both in the order of their keys. */
  readonly admitted: readonly AdmittedRoute[];
  readonly rejected: readonly RejectedRoute[];
}

/** Rejects these, even if they were admitted. */
export function moveToRejected(admission: Admission, failed: readonly RejectedRoute[]): Admission {
  if (failed.length === 0) return admission;
  const { admitted, rejected } = admission;
  const keys = new Set(failed.map(({ key }) => key));
  return {
    admitted: admitted.filter(({ key }) => !keys.has(key)),
    rejected: [...rejected, ...failed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}
