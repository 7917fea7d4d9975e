import type { AdmittedRoute } from '../admission/verdict.ts';
import type { BackendServer } from '../model.ts';
import { keyOf } from '../objects/metadata.ts';
import type { BackendDefaults } from './backend-defaults.ts';
import type { RouteAnnotations } from './route-annotations.ts';
import type { Endpoint, EndpointsOfService, FindEndpoints } from './service-endpoints.ts';
import { endpointWeights } from './weights.ts';

/**
 * The servers of a route's backend, by service and then by name. A service of weight 0 keeps the clients that have its
 * cookie; where there are no cookies (passthrough), it has no servers.
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
  const found = new Map(names.map((name) => [name, find(keyOf({ namespace, name }))]));
  const chosen = new Map(
    [...found].map(([name, { endpoints }]) => [name, endpoints.filter((each) => hasPort(each, targetPort))]),
  );
  const scaled = endpointWeights(weights, (name) => chosen.get(name)?.length ?? 0);
  const active = names
    .filter((name) => (weights.get(name) ?? 0) > 0)
    .flatMap((name) => chosen.get(name) ?? []);
  const isByName =
    kind === 'reencrypt' && tls.destinationCaPem === undefined && defaults.hasDefaultDestinationCa;
  const servers = names
    .filter((name) => kind !== 'passthrough' || (weights.get(name) ?? 0) > 0)
    .flatMap((name) =>
      (chosen.get(name) ?? []).map((endpoint): BackendServer => {
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
  return { servers, remarks: remarksOf(names, found, chosen, targetPort) };
}

/** Without a target port every port of the service is used. */
function hasPort({ port, portName }: Endpoint, targetPort: string | undefined): boolean {
  return targetPort === undefined || portName === targetPort || `${port}` === targetPort;
}

const NO_ENDPOINTS = 'has no ready endpoints';

/** Such a remark comes and goes with pods, and is no mistake in a route. */
export function isOfPods(remark: string): boolean {
  return remark.endsWith(NO_ENDPOINTS);
}

function remarksOf(
  names: readonly string[],
  found: ReadonlyMap<string, EndpointsOfService>,
  chosen: ReadonlyMap<string, readonly Endpoint[]>,
  targetPort: string | undefined,
): readonly string[] {
  return names.flatMap((name) => {
    const { endpoints = [], refused = [] } = found.get(name) ?? {};
    const isUnmatched = endpoints.length > 0 && chosen.get(name)?.length === 0;
    if (isUnmatched) return [...refused, `service ${name} has no endpoint with port ${targetPort}`];
    return endpoints.length > 0 ? refused : [...refused, `service ${name} ${NO_ENDPOINTS}`];
  });
}
