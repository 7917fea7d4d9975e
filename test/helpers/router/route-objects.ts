import type { StoredObject } from '../api-server/object-store.ts';
import { POD_PORT, podAddress } from './live-router.ts';

interface RouteWish {
  readonly namespace?: string;
  /** Creation time in seconds. The older object wins. */
  readonly createdAt?: number;
  readonly path?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly service?: string;
}

/** A Route without TLS, by default to the service of its own name. */
export function plainRoute(name: string, host: string, wish: RouteWish = {}): StoredObject {
  const { namespace = 'shop', createdAt = 0, path = '', annotations = {}, service = name } = wish;
  return {
    kind: 'Route',
    apiVersion: 'route.openshift.io/v1',
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      annotations,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) + createdAt * 1_000).toISOString(),
    },
    spec: { host, path, to: { kind: 'Service', name: service, weight: 100 }, wildcardPolicy: 'None' },
  };
}

/** The pods with these numbers are ready behind a service. */
export function slice(service: string, pods: readonly number[], namespace = 'shop'): StoredObject {
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      name: `${service}-1`,
      namespace,
      uid: `uid-${namespace}-${service}-1`,
      labels: { 'kubernetes.io/service-name': service },
    },
    addressType: 'IPv4',
    endpoints: pods.map((pod) => ({
      addresses: [podAddress(pod)],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name: `pod-${pod}` },
    })),
    ports: [{ name: '', port: POD_PORT, protocol: 'TCP' }],
  };
}
