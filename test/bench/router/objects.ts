import { readObjectList } from '../../../src/router/follow/read-object-list.ts';
import type { RouterObjects } from '../../../src/router/follow/router-objects.ts';

/** Addresses on the namespace's loopback, all answered by one pod. Admission rejects 127.0.0.0/8. */
export const podAddresses = ['10.1.0.1', '10.1.0.2', '10.1.0.3'] as const;
export const POD_PORT = 8080;

export function hostOf(index: number): string {
  return `shop-${index}.apps.example.com`;
}

/** A third of the routes have a path, a third have TLS and also take plain requests. Each has three endpoints. */
export function objectsOf(routes: number): RouterObjects {
  const objects = Array.from({ length: routes }, (_, index) => [routeObject(index), sliceObject(index)]);
  const { objects: read, problems } = readObjectList(JSON.stringify(objects.flat()));
  if (problems.length > 0) throw new Error(`Cannot read the objects of the bench: ${problems[0]}`);
  return read;
}

const kinds = [
  {},
  { path: '/app' },
  { tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'Allow' } },
] as const;

function metadata(name: string, index: number, labels: Readonly<Record<string, string>> = {}) {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
  return { name, namespace: `team-${index % 100}`, uid: `${name}-${index}`, creationTimestamp, labels };
}

export function routeObject(index: number) {
  return {
    kind: 'Route',
    metadata: metadata(`shop-${index}`, index),
    spec: { host: hostOf(index), to: { name: `web-${index}` }, ...kinds[index % kinds.length] },
  };
}

export function sliceObject(index: number, addresses: readonly string[] = podAddresses) {
  return {
    kind: 'EndpointSlice',
    metadata: metadata(`web-${index}-x`, index, { 'kubernetes.io/service-name': `web-${index}` }),
    addressType: 'IPv4',
    endpoints: addresses.map((address, pod) => ({
      addresses: [address],
      targetRef: { kind: 'Pod', name: `web-${index}-${pod}` },
    })),
    ports: [{ name: 'http', port: POD_PORT }],
  };
}
