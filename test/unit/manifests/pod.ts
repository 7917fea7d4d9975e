import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as z from 'zod/mini';

const probe = z.strictObject({
  periodSeconds: z.optional(z.number()),
  failureThreshold: z.optional(z.number()),
  timeoutSeconds: z.number(),
  httpGet: z.strictObject({ host: z.optional(z.string()), path: z.string(), port: z.number() }),
});

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string(),
  args: z.array(z.string()),
  env: z._default(z.array(z.strictObject({ name: z.string(), value: z.string() })), []),
  securityContext: z.strictObject({
    runAsUser: z.optional(z.number()),
    runAsGroup: z.optional(z.number()),
    runAsNonRoot: z.optional(z.boolean()),
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: z.strictObject({ drop: z.array(z.string()), add: z.optional(z.array(z.string())) }),
  }),
  resources: z.strictObject({ requests: z.strictObject({ cpu: z.string(), memory: z.string() }) }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z._default(z.boolean(), false) }),
  ),
  terminationMessagePolicy: z.string(),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: z.optional(probe),
});

const volume = z.strictObject({
  name: z.string(),
  hostPath: z.optional(z.strictObject({ path: z.string(), type: z.string() })),
  emptyDir: z.optional(z.strictObject({ medium: z.optional(z.literal('Memory')) })),
});

const pod = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Pod'),
  metadata: z.strictObject({
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.optional(z.record(z.string(), z.string())),
  }),
  spec: z.strictObject({
    hostNetwork: z.boolean(),
    priorityClassName: z.string(),
    tolerations: z.array(z.strictObject({ operator: z.string() })),
    terminationGracePeriodSeconds: z.number(),
    securityContext: z.strictObject({
      runAsUser: z.optional(z.number()),
      runAsGroup: z.optional(z.number()),
      seccompProfile: z.strictObject({ type: z.string() }),
    }),
    containers: z.array(container),
    volumes: z.array(volume),
  }),
});

export type Pod = z.infer<typeof pod>;
export type Container = z.infer<typeof container>;

export const keepalivedManifest = fileURLToPath(
  new URL('../../../manifests/keepalived.yaml', import.meta.url),
);
export const haproxyManifest = fileURLToPath(new URL('../../../manifests/haproxy.yaml', import.meta.url));

/** Throws for every field that is not named above, because a pod silently ignores a misspelt one. */
export function readPod(path: string): Pod {
  return parsePod(readFileSync(path, 'utf8'));
}

export function parsePod(text: string): Pod {
  return z.parse(pod, parse(text));
}

export function containerOf(from: Pod, name: string): Container {
  const found = from.spec.containers.find((each) => each.name === name);
  if (found === undefined) throw new Error(`Cannot find container "${name}", expected one`);
  return found;
}
