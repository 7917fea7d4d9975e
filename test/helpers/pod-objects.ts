import type { StoredObject } from './api-server/object-store.ts';

export interface DownstreamPod {
  readonly name: string;
  readonly app?: string;
  readonly ip?: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
  readonly namespace?: string;
  /** The proxy it names; by default `haproxy.default.svc`. */
  readonly master?: string;
}

/** A pod that reports to a proxy. */
export function downstreamPod(pod: DownstreamPod): StoredObject {
  const { name, app, ip, ready = true, terminating = false, namespace = 'default' } = pod;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      labels: app === undefined ? {} : { app },
      annotations: { 'kontrol.unity3d.com/master': pod.master ?? 'haproxy.default.svc' },
      ...(terminating && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    status: {
      ...(ip !== undefined && { podIP: ip }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

/** A Secret of type kubernetes.io/tls. */
export function tlsSecret(
  name: string,
  { cert, key }: { readonly cert: string; readonly key: string },
): StoredObject {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  return {
    kind: 'Secret',
    apiVersion: 'v1',
    type: 'kubernetes.io/tls',
    metadata: { name, namespace: 'default' },
    data: { 'tls.crt': encoded(cert), 'tls.key': encoded(key) },
  };
}
