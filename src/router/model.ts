/**
 * What the configuration is made of: the admitted routes, each joined with its endpoints. Values are decided and safe to
 * render: numbers in milliseconds, and texts of which each has its few characters (safe-text.ts): no white space,
 * quote, backslash or semicolon but where it is said.
 */
export interface RouterModel {
  /** In the order of their names, so that equal objects give equal bytes whatever order they came in. */
  readonly backends: readonly RouteBackend[];
}

/** The termination of a route; `http` has none. */
export type RouteKind = 'http' | 'edge' | 'reencrypt' | 'passthrough';

export const backendPrefix = {
  http: 'be_http',
  edge: 'be_edge_http',
  reencrypt: 'be_secure',
  passthrough: 'be_tcp',
} as const satisfies Readonly<Record<RouteKind, string>>;

/** Whether a path is for what is below it too. Only an Ingress asks for `exact`, and never with the path ''. */
export type PathMatch = 'prefix' | 'exact';

/** How a route with TLS answers clients without TLS. */
export type InsecurePolicy = 'None' | 'Allow' | 'Redirect';

/** One admitted route: its backend, and what the maps say of it. */
export interface RouteBackend {
  /** `namespace:name` */
  readonly key: string;
  /** `be_edge_http:namespace:name` */
  readonly name: string;
  readonly kind: RouteKind;
  /** Lower case, without a dot at its end. Of a wildcard the parent domain: `apps.example.com` for `*.apps.example.com`. */
  readonly host: string;
  readonly wildcard: boolean;
  /** '' where every path is the route's. `/sub` is for `/sub` and below, `/sub/` only for what is below. */
  readonly path: string;
  readonly pathMatch: PathMatch;
  /** 'None' for kind `http`, where it means nothing. */
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
  /** The value of Strict-Transport-Security: words, spaces, `;`, `=` and `"`. */
  readonly hsts?: string;
  /** What stands in place of the route's path in requests to the pods: a literal path. */
  readonly rewriteTarget?: string;
  readonly headers: HeaderActions;
  readonly adjustCase: boolean;
  /** Of `reencrypt`: how the pods' certificates are checked. */
  readonly verify?: PodVerification;
  /** Parts of the route without effect, and why, for people. Not rendered. */
  readonly remarks: readonly string[];
}

export type Balance = 'roundrobin' | 'leastconn' | 'source' | 'random';

/** Parsed and encoded again: the key, the certificate and its chain. `pem` is a secret. */
export interface RouteCertificate {
  readonly pem: string;
  /** Whether HTTP/2 is offered: not where other routes have the same certificate, as browsers join their connections. */
  readonly http2: boolean;
}

export interface BackendServer {
  /** `pod:NAME:SERVICE:PORT_NAME:ADDRESS:PORT`; unique in its backend. */
  readonly name: string;
  /** A literal address, without brackets. */
  readonly address: string;
  readonly port: number;
  /** 0 to 256. */
  readonly weight: number;
  /** Interval of its health check; absent without one. */
  readonly checkIntervalMs?: number;
  /** It is the only one: its checks are off until another one comes, since they could only take it away. */
  readonly isAlone?: true;
  readonly maxConnections?: number;
  /** The pod speaks HTTP/2 without TLS. */
  readonly h2c: boolean;
  /** With `default-ca`: the name that the pod's certificate must have, `SERVICE.NAMESPACE.svc` of its own service. */
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
  /** New connections of a source in three seconds. */
  readonly tcpPer3s?: number;
  /** Requests of a source in ten seconds. */
  readonly httpPer10s?: number;
}

interface HeaderActions {
  readonly request: readonly HeaderAction[];
  readonly response: readonly HeaderAction[];
}

/**
 * A name is a token. A value is a format of HAProxy's that was checked: text without control characters, in which `%`
 * stands only doubled or in front of an expression that reads a header or the client's certificate. It is the one
 * text of a model in which quotes and backslashes can stand.
 */
export type HeaderAction =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'delete'; readonly name: string };

export type PodVerification =
  /** By the route's own CA, whatever name the certificate has. */
  | { readonly kind: 'route-ca'; readonly pem: string }
  /** By the router's CA, for each server's `verifyHost`. */
  | { readonly kind: 'default-ca' }
  | { readonly kind: 'none' };

/** As people and HAProxy's lists write it: `*.apps.example.com` of a wildcard. */
export function hostText({ host, wildcard }: Pick<RouteBackend, 'host' | 'wildcard'>): string {
  return wildcard ? `*.${host}` : host;
}
