import type { Balance, RouteBackend } from '../model.ts';
import type { DeniedEndpoints } from '../safe-address.ts';
import type { RouterSettings } from './router-settings.ts';

/** Which routes the router's owner lets in. */
export interface AdmissionPolicy {
  /** ROUTER_SERVICE_NAME: whose entries in the status of Routes say which hosts they hold. */
  readonly routerName: string;
  /** ROUTER_ALLOW_WILDCARD_ROUTES */
  readonly allowWildcards: boolean;
  /** One namespace owns a host, and all of its paths. Off: ROUTER_DISABLE_NAMESPACE_OWNERSHIP_CHECK. */
  readonly namespaceOwnership: boolean;
  /** A host in one of these domains is refused, whatever else is allowed. */
  readonly deniedDomains: readonly string[];
  /** Empty: every domain. */
  readonly allowedDomains: readonly string[];
  /** ROUTER_DOMAIN: of a route that has a subdomain and no host. */
  readonly domain: string;
  /** ROUTER_SUBDOMAIN: the host of a route without one, such as `${name}-${namespace}.apps.example.com`. */
  readonly hostTemplate: string;
  /** The template counts for routes with a host too: for all, or for those in these domains. */
  readonly overrideHost: boolean;
  readonly overrideDomains: readonly string[];
  /** Undefined: Ingresses are not read. */
  readonly ingressClass?: string;
}

/** What a backend has where its route says nothing, by the router's environment. */
export interface BackendDefaults {
  /** ROUTER_LOAD_BALANCE_ALGORITHM */
  readonly httpBalance: Balance;
  /** ROUTER_TCP_BALANCE_SCHEME */
  readonly tcpBalance: Balance;
  /** ROUTER_COOKIE_NAME */
  readonly cookieName?: string;
  /** ROUTER_SET_FORWARDED_HEADERS */
  readonly forwarded: RouteBackend['forwarded'];
  /** ROUTER_BACKEND_CHECK_INTERVAL */
  readonly checkIntervalMs: number;
  /** Off: ROUTER_DISABLE_HTTP2. */
  readonly http2: boolean;
  /** DEFAULT_DESTINATION_CA_PATH is set. */
  readonly hasDefaultDestinationCa: boolean;
  readonly denied: DeniedEndpoints;
}

/** Which routes the settings let in. */
export function admissionPolicy(settings: RouterSettings): AdmissionPolicy {
  return {
    routerName: settings.serviceName,
    allowWildcards: settings.allowWildcards,
    namespaceOwnership: !settings.disableNamespaceOwnership,
    deniedDomains: settings.deniedDomains,
    allowedDomains: settings.allowedDomains,
    domain: settings.domain ?? '',
    hostTemplate: settings.subdomain ?? '',
    overrideHost: settings.overrideHostname,
    overrideDomains: settings.overrideDomains,
    ...(settings.ingressClass !== undefined && { ingressClass: settings.ingressClass }),
  };
}

/** What a backend has where its route says nothing. `own`: where the router itself runs. */
export function backendDefaults(settings: RouterSettings, own?: DeniedEndpoints['own']): BackendDefaults {
  return {
    httpBalance: settings.balance,
    tcpBalance: settings.tcpBalance,
    ...(settings.cookieName !== undefined && { cookieName: settings.cookieName }),
    forwarded: settings.forwardedHeaders,
    checkIntervalMs: settings.backendCheckInterval,
    http2: !settings.disableHttp2,
    hasDefaultDestinationCa: settings.defaultDestinationCa !== undefined,
    denied: { networks: settings.deniedEndpoints, ...(own && { own }) },
  };
}
