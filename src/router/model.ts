/**
 * The input of the renderer: the admitted routes, each joined with its endpoints. All values are validated and safe to render:
 * numbers are in milliseconds, and each text has a restricted set of characters (safe-text.ts) without white space, quotes,
 * backslashes or semicolons, except where noted.
 */
export interface RouterModel {
  /** Sorted by name, so that equal objects produce equal bytes in whatever order they were listed. */
  readonly backends: readonly RouteBackend[];
}

/** A route's TLS termination; `http` means none. */
export type RouteKind = 'http' | 'edge' | 'reencrypt' | 'passthrough';

export const backendPrefix = {
  http: 'be_http',
  edge: 'be_edge_http',
  reencrypt: 'be_secure',
  passthrough: 'be_tcp',
} as const satisfies Readonly<Record<RouteKind, string>>;

/** Whether a path also matches everything below it. Only an Ingress can request `exact`, and never with the path ''. */
export type PathMatch = 'prefix' | 'exact';

/** How a route with TLS treats clients that connect without TLS. */
export type InsecurePolicy = 'None' | 'Allow' | 'Redirect';

/** One admitted route: its backend, and its entries in the maps. */
export interface RouteBackend {
  /** `namespace:name` */
  readonly key: string;
  /** `be_edge_http:namespace:name` */
  readonly name: string;
  readonly kind: RouteKind;
  /** Lower case, without a trailing dot. For a wildcard, the parent domain: `apps.example.com` for `*.apps.example.com`. */
  readonly host: string;
  readonly wildcard: boolean;
  /** '' matches every path. `/sub` matches `/sub` and everything below it, `/sub/` only what is below it. */
  readonly path: string;
  readonly pathMatch: PathMatch;
  /** 'None' for kind `http`, where it has no meaning. */
  readonly insecure: InsecurePolicy;
  readonly certificate?: RouteCertificate;
  readonly balance: Balance;
  readonly servers: readonly BackendServer[];
  readonly cookie?: SessionCookie;
  readonly timeouts: BackendTimeouts;
  /** Addresses and networks that may connect; absent if all may. */
  readonly allowlist?: readonly string[];
  readonly rateLimit?: RateLimit;
  readonly forwarded: 'append' | 'replace' | 'if-none' | 'never';
  /** The value of Strict-Transport-Security. It may contain spaces, `;`, `=` and `"`. */
  readonly hsts?: string;
  /** Replaces the route's path in requests to the pods. A literal path. */
  readonly rewriteTarget?: string;
  readonly headers: HeaderActions;
  readonly adjustCase: boolean;
  /** For `reencrypt` only: how the pods' certificates are verified. */
  readonly verify?: PodVerification;
  /** Parts of the route that have no effect, and why. For people; not rendered. */
  readonly remarks: readonly string[];
}

export type Balance = 'roundrobin' | 'leastconn' | 'source' | 'random';

/** `pem` holds the key, the certificate and its chain, parsed and encoded again. It is a secret. */
export interface RouteCertificate {
  readonly pem: string;
  /** Whether HTTP/2 is offered. Not if other routes use the same certificate: browsers would reuse one connection for all of them. */
  readonly http2: boolean;
}

export interface BackendServer {
  /** `pod:NAME:SERVICE:PORT_NAME:ADDRESS:PORT`; unique within its backend. */
  readonly name: string;
  /** An IP address, without brackets. */
  readonly address: string;
  readonly port: number;
  /** 0 to 256. */
  readonly weight: number;
  /** Health check interval; undefined disables the check. */
  readonly checkIntervalMs?: number;
  /** The backend's only server. Its checks are off, since a failed check could only take the last server out of service. */
  readonly isAlone?: true;
  readonly maxConnections?: number;
  /** The pod speaks HTTP/2 without TLS. */
  readonly h2c: boolean;
  /** With `default-ca`: the name that the pod's certificate must have, `SERVICE.NAMESPACE.svc` of the pod's service. */
  readonly verifyHost?: string;
}

export interface SessionCookie {
  readonly name: string;
  readonly secure: boolean;
  readonly sameSite?: 'None' | 'Lax' | 'Strict';
}

export interface BackendTimeouts {
  readonly serverMs?: number;
  readonly tunnelMs?: number;
}

export interface RateLimit {
  readonly concurrentTcp?: number;
  /** New connections per source address in three seconds. */
  readonly tcpPer3s?: number;
  /** Requests per source address in ten seconds. */
  readonly httpPer10s?: number;
}

interface HeaderActions {
  readonly request: readonly HeaderAction[];
  readonly response: readonly HeaderAction[];
}

/**
 * `name` is an HTTP token. `value` is a validated HAProxy log format: text without control characters, in which `%` is either
 * doubled or starts an expression that reads a header or the client's certificate. No other text in the model may contain
 * quotes and backslashes.
 */
export type HeaderAction =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'delete'; readonly name: string };

export type PodVerification =
  /** Verified against the route's own CA. The name in the certificate is not checked. */
  | { readonly kind: 'route-ca'; readonly pem: string }
  /** Verified against the router's CA and each server's `verifyHost`. */
  | { readonly kind: 'default-ca' }
  | { readonly kind: 'none' };

/** The host as people and HAProxy's lists write it: `*.apps.example.com` for a wildcard. */
export function hostText({ host, wildcard }: Pick<RouteBackend, 'host' | 'wildcard'>): string {
  return wildcard ? `*.${host}` : host;
}
