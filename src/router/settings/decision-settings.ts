import type { Balance, RouteBackend } from '../model.ts';
import type { DeniedEndpoints } from '../safe-address.ts';
import type { RouterSettings } from './router-settings.ts';

/** Which routes the administrator admits. */
export interface AdmissionPolicy {
  /** ROUTER_SERVICE_NAME. This router's entries in the status of Routes record which hosts they hold. */
  readonly routerName: string;
  /** ROUTER_ALLOW_WILDCARD_ROUTES */
  readonly allowWildcards: boolean;
  /** One namespace owns a host with all its paths. Disabled by ROUTER_DISABLE_NAMESPACE_OWNERSHIP_CHECK. */
  readonly namespaceOwnership: boolean;
  /** Hosts in these domains are refused, even in an allowed domain. */
  readonly deniedDomains: readonly string[];
  /** Empty allows every domain. */
  readonly allowedDomains: readonly string[];
  /** ROUTER_DOMAIN: appended to the subdomain of a route that has no host. */
  readonly domain: string;
  /** ROUTER_SUBDOMAIN: the host of a route without one, such as `${name}-${namespace}.apps.example.com`. */
  readonly hostTemplate: string;
  /** Whether the template also applies to all routes with a host. `overrideDomains`: only to hosts in these domains. */
  readonly overrideHost: boolean;
  readonly overrideDomains: readonly string[];
  /** Ingresses are not read if undefined. */
  readonly ingressClass?: string;
}

/** Values of a backend that its route does not set. */
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
  /** Disabled by ROUTER_DISABLE_HTTP2. */
  readonly http2: boolean;
  /** Whether DEFAULT_DESTINATION_CA_PATH is set. */
  readonly hasDefaultDestinationCa: boolean;
  readonly denied: DeniedEndpoints;
}

/** The admission policy from the settings. */
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

/** The backend defaults from the settings. `own`: the router's own addresses and ports. */
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
