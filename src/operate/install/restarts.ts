import { containerOf, type Pod } from '../../cli/pod.ts';
import { podLayout } from './layout.ts';
import type { Plan } from './plan.ts';

/** A pod that the kubelet restarts, with all its containers, since its manifest changes. */
export interface Restart {
  readonly manifest: string;
  readonly containers: readonly string[];
}

/** The pods whose manifests exist and change. A new pod is not restarted, but started. */
export function restartsBy({ steps }: Plan, pods: readonly Pod[]): readonly Restart[] {
  const changed = new Set(
    steps.flatMap((step) => (step.kind === 'write' && step.before !== undefined ? step.file.path : [])),
  );
  return pods.flatMap((pod) => {
    const { manifest } = podLayout(pod);
    return changed.has(manifest) ? { manifest, containers: pod.daemons.map(containerOf) } : [];
  });
}

export function restartsText(restarts: readonly Restart[]): string {
  return restarts
    .map(({ manifest, containers }) => `restarts ${containers.join(' and ')}: ${manifest} changes\n`)
    .join('');
}
