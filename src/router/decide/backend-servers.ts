import type { WeightedService } from '../follow/route.ts';
import { keyOf } from '../metadata.ts';
import type { BackendServer } from '../model.ts';
import type { BackendDefaults } from '../settings/decision-settings.ts';
import type { RouteAnnotations } from './route-annotations.ts';
import type { Endpoint, EndpointsOfService, FindEndpoints } from './service-endpoints.ts';
import type { AdmittedRoute } from './verdict.ts';

/**
 * The servers of a route's backend, sorted by service and then by name. A service of weight 0 still serves clients that have its
 * cookie. A passthrough route has no cookies, so such a service gets no servers there.
 */
export function serversOf(
  { route, kind, tls }: AdmittedRoute,
  weights: ReadonlyMap<string, number>,
  find: FindEndpoints,
  { checkIntervalMs, maxConnections }: RouteAnnotations,
  defaults: BackendDefaults,
): { readonly servers: readonly BackendServer[]; readonly remarks: readonly string[] } {
  const { targetPort, namespace } = route;
  const names = [...weights.keys()].sort();
  const found = new Map(names.map((name) => [name, find(keyOf({ namespace, name }), targetPort)]));
  const endpointsOf = (name: string): readonly Endpoint[] => found.get(name)?.endpoints ?? [];
  const scaled = endpointWeights(weights, (name) => endpointsOf(name).length);
  const active = names.filter((name) => (weights.get(name) ?? 0) > 0).flatMap(endpointsOf);
  const isByName =
    kind === 'reencrypt' && tls.destinationCaPem === undefined && defaults.hasDefaultDestinationCa;
  const servers = names
    .filter((name) => kind !== 'passthrough' || (weights.get(name) ?? 0) > 0)
    .flatMap((name) =>
      endpointsOf(name).map((endpoint): BackendServer => {
        return {
          name: endpoint.id,
          address: endpoint.address,
          port: endpoint.port,
          weight: scaled.get(name) ?? 0,
          ...(!endpoint.isWaking && {
            checkIntervalMs: checkIntervalMs ?? defaults.checkIntervalMs,
            ...(active.length <= 1 && ({ isAlone: true } as const)),
          }),
          ...(maxConnections !== undefined && { maxConnections }),
          h2c: endpoint.h2c && (kind === 'http' || kind === 'edge'),
          ...(isByName && { verifyHost: `${name}.${namespace}.svc` }),
        };
      }),
    );
  return { servers, remarks: remarksOf(names, found, targetPort) };
}

const NO_ENDPOINTS = 'has no ready endpoints';

/** Whether a remark is about missing pods. Such remarks come and go, and are not mistakes in a route. */
export function isAboutPods(remark: string): boolean {
  return remark.endsWith(NO_ENDPOINTS);
}

function remarksOf(
  names: readonly string[],
  found: ReadonlyMap<string, EndpointsOfService>,
  targetPort: string | undefined,
): readonly string[] {
  return names.flatMap((name) => {
    const { endpoints = [], refused = [], hasOtherPorts } = found.get(name) ?? {};
    if (hasOtherPorts === true)
      return [...refused, `service ${name} has no endpoint with port ${targetPort}`];
    return endpoints.length > 0 ? refused : [...refused, `service ${name} ${NO_ENDPOINTS}`];
  });
}

/** The weight of each service of a route, clamped to 0 to 256. If a service is listed twice, the last weight applies. */
export function serviceWeights(services: readonly WeightedService[]): ReadonlyMap<string, number> {
  return new Map(
    services.map(({ name, weight }) => [name, Math.min(256, Math.max(0, Math.trunc(weight) || 0))]),
  );
}

/**
 * The weight of each endpoint, by service. Endpoints share the weight of their service. The shares are scaled so that the largest becomes 256, and
 * every endpoint that takes traffic has at least 1. If only one service takes traffic, its endpoints have weight 1: a larger number has the same
 * effect and costs HAProxy memory. Computed in single precision, like openshift-router.
 */
export function endpointWeights(
  weights: ReadonlyMap<string, number>,
  endpointCount: (service: string) => number,
): ReadonlyMap<string, number> {
  const served = [...weights].filter(([service]) => endpointCount(service) > 0);
  const active = served.filter(([, weight]) => weight > 0);
  if (active.length <= 1) return new Map(served.map(([service, weight]) => [service, weight > 0 ? 1 : 0]));
  const shares = served.map(
    ([service, weight]) => [service, Math.fround(weight / endpointCount(service))] as const,
  );
  const scale = Math.fround(256 / Math.max(...shares.map(([, share]) => share)));
  return new Map(
    shares.map(([service, share]) => [
      service,
      share > 0 ? Math.max(1, Math.trunc(Math.fround(share * scale))) : 0,
    ]),
  );
}
