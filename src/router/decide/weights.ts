import type { WeightedService } from '../follow/route.ts';

/** Weights of a route's services within 0 to 256, each service once: the last one of a name counts. */
export function serviceWeights(services: readonly WeightedService[]): ReadonlyMap<string, number> {
  return new Map(
    services.map(({ name, weight }) => [name, Math.min(256, Math.max(0, Math.trunc(weight) || 0))]),
  );
}

/**
 * The weight of each endpoint of a service: its service's weight is shared by its endpoints, and all are scaled so that the largest is 256 and
 * none that takes traffic is below 1. If one service alone takes traffic, its endpoints have 1: with a larger number HAProxy would need more
 * memory for the same. Single precision, as openshift-router counts.
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
