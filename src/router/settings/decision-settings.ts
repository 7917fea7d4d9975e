import type { DeniedPlaces } from '../safe-address.ts';
import type { AdmissionPolicy } from './admission-policy.ts';
import type { BackendDefaults } from './backend-defaults.ts';
import type { RouterSettings } from './router-settings.ts';

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
export function backendDefaults(settings: RouterSettings, own?: DeniedPlaces['own']): BackendDefaults {
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
