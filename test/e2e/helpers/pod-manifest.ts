import { parse, stringify } from 'yaml';
import * as z from 'zod/mini';

const probe = z.object({
  initialDelaySeconds: z._default(z.number(), 0),
  periodSeconds: z._default(z.number(), 10),
  timeoutSeconds: z._default(z.number(), 1),
  failureThreshold: z._default(z.number(), 3),
  httpGet: z.optional(z.object({ host: z.optional(z.string()), path: z.string(), port: z.number() })),
  exec: z.optional(z.object({ command: z.array(z.string()) })),
});
/** With the defaults of the Kubernetes API. */
export type Probe = z.infer<typeof probe>;

const probes = {
  startupProbe: z.optional(probe),
  livenessProbe: z.optional(probe),
  readinessProbe: z.optional(probe),
};
export type ProbeKind = keyof typeof probes;

const podSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
  }),
  spec: z.looseObject({
    terminationGracePeriodSeconds: z._default(z.number(), 30),
    containers: z.array(z.looseObject({ name: z.string(), ...probes })),
    volumes: z.array(
      z.looseObject({
        name: z.string(),
        emptyDir: z.optional(z.object({ medium: z.optional(z.string()) })),
      }),
    ),
  }),
});
export type Pod = z.infer<typeof podSchema>;

export type PodContainer = Pod['spec']['containers'][number];

export function parsePod(text: string): Pod {
  return podSchema.parse(parse(text));
}

/** The kubelet's folder for the pod, on the machine; the pod's name stands for its uid. */
export function podFolder(pod: Pod): string {
  return `/var/lib/kubelet/pods/${pod.metadata.name}`;
}

/** The kubelet's directory for an emptyDir. */
export function emptyDirPath(pod: Pod, volume: string): string {
  return `${podFolder(pod)}/volumes/kubernetes.io~empty-dir/${volume}`;
}

/**
 * The manifest, adapted where podman 4.3 differs from the kubelet: an emptyDir is a folder of this pod alone (podman
 * shares one between all pods that use the same name), a pod on the host's network has the host's name, and the kubelet
 * runs the probes (podman leaves them to systemd timers, and runs an httpGet with the image's own curl).
 */
export function forPodman(pod: Pod, hostname: string): string {
  const containers = pod.spec.containers.map(
    ({ startupProbe: _, livenessProbe: __, readinessProbe: ___, ...container }) => container,
  );
  const volumes = pod.spec.volumes.map(({ emptyDir, ...volume }) =>
    emptyDir === undefined
      ? volume
      : { ...volume, hostPath: { path: emptyDirPath(pod, volume.name), type: 'Directory' } },
  );
  return stringify({ ...pod, spec: { ...pod.spec, hostname, containers, volumes } });
}
