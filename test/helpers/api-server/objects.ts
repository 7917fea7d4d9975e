import type { StoredObject } from './object-store.ts';

const created = '2026-01-01T00:00:00Z';

/** A Node, in the control plane unless `labels` says otherwise. */
export function node(
  name: string,
  addresses: readonly string[],
  labels: Readonly<Record<string, string>> = { 'node-role.kubernetes.io/control-plane': '' },
): StoredObject {
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: created,
      labels: { 'kubernetes.io/hostname': name, ...labels },
    },
    spec: {},
    status: {
      addresses: [
        ...addresses.map((address) => ({ type: 'InternalIP', address })),
        { type: 'Hostname', address: name },
      ],
    },
  };
}

/** The EndpointSlice of default/kubernetes for one family. */
export function kubernetesSlice(
  name: string,
  addresses: readonly string[],
  options: { readonly port?: number; readonly notReady?: readonly string[] } = {},
): StoredObject {
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: created,
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: addresses.some((address) => address.includes(':')) ? 'IPv6' : 'IPv4',
    endpoints: addresses.map((address) => ({
      addresses: [address],
      conditions: { ready: !(options.notReady ?? []).includes(address) },
    })),
    ports: [{ name: 'https', port: options.port ?? 6443, protocol: 'TCP' }],
  };
}

/** An OpenShift Route. Routers list many of them. */
export function route(namespace: string, name: string, host: string): StoredObject {
  return {
    kind: 'Route',
    apiVersion: 'route.openshift.io/v1',
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      creationTimestamp: created,
      labels: { app: name },
      annotations: { 'haproxy.router.openshift.io/timeout': '30s' },
    },
    spec: {
      host,
      path: '/',
      to: { kind: 'Service', name, weight: 100 },
      port: { targetPort: 'http' },
      tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'Redirect' },
      wildcardPolicy: 'None',
    },
    status: {
      ingress: [
        {
          host,
          routerName: 'default',
          conditions: [{ type: 'Admitted', status: 'True', lastTransitionTime: created }],
          wildcardPolicy: 'None',
          routerCanonicalHostname: 'router-default.apps.example.com',
        },
      ],
    },
  };
}
