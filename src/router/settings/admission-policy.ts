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
