import { rmSync } from 'node:fs';
import type { Machine } from './machine.ts';
import { emptyDirPath, forPodman, type Pod, podFolder } from './pod-manifest.ts';
import { notePod } from './remove-orphans.ts';

export interface ContainerState {
  /** On the machine; 0 if it is not running. */
  readonly pid: number;
  readonly running: boolean;
  /** How often it was restarted after it ended by itself. */
  readonly restarts: number;
}

/** `podman kube play`, with the volumes that the kubelet would make. Throws if the pod cannot start. */
export async function playPod(machine: Machine, pod: Pod): Promise<void> {
  for (const { name, emptyDir } of pod.spec.volumes)
    if (emptyDir !== undefined) await makeEmptyDir(machine, emptyDirPath(pod, name), emptyDir.medium);
  await machine.run('mkdir', '-p', podFolder(pod));
  const file = `${podFolder(pod)}/${pod.metadata.name}.yaml`;
  const text = forPodman(pod, machine.node.name);
  await machine.run('sh', '-c', `cat >"$1" <<'END_OF_POD'\n${text}\nEND_OF_POD`, 'write', file);
  await playFile(machine, pod.metadata.name, file);
}

async function playFile(machine: Machine, name: string, file: string): Promise<void> {
  // A pod that failed to start in an earlier attempt still exists.
  await machine.engine.attempt(['pod', 'rm', '--force', '--time', '0', name]);
  const printed = await machine.engine.podman('kube', 'play', file);
  const [, id] = /^Pod:\n([0-9a-f]{64})$/m.exec(printed) ?? [];
  if (id === undefined) throw new Error(`Cannot read what podman played: "${printed}"`);
  notePod(machine.engine.dir, id);
}

/**
 * SIGTERM to all, SIGKILL after the grace period; then the pod and its volumes are gone. The signal goes to the pod, not to its
 * containers: once one of those has ended, podman sends the others a second SIGTERM, which the kubelet does not.
 */
export async function removePod(machine: Machine, pod: Pod): Promise<void> {
  const { name } = pod.metadata;
  const grace = String(pod.spec.terminationGracePeriodSeconds);
  await machine.engine.podman('pod', 'stop', '--ignore', '--time', grace, name);
  await machine.engine.podman('pod', 'rm', '--force', '--ignore', name);
  for (const volume of pod.spec.volumes)
    if (volume.emptyDir?.medium === 'Memory' && (await isMounted(machine, emptyDirPath(pod, volume.name))))
      await machine.run('umount', emptyDirPath(pod, volume.name));
  rmSync(machine.at(podFolder(pod)), { recursive: true, force: true });
}

export async function containerState(machine: Machine, pod: string, name: string): Promise<ContainerState> {
  const format = '{{.State.Pid}} {{.State.Running}} {{.RestartCount}}';
  const { stdout, exitCode } = await machine.engine.attempt([
    'inspect',
    '--format',
    format,
    `${pod}-${name}`,
  ]);
  const [pid, running, restarts] = stdout.trim().split(' ');
  return exitCode === 0
    ? { pid: Number(pid), running: running === 'true', restarts: Number(restarts) }
    : { pid: 0, running: false, restarts: 0 };
}

/** World-writable, as the kubelet makes it. In memory it is empty after a boot, on disk it is not. */
async function makeEmptyDir(machine: Machine, path: string, medium: string | undefined): Promise<void> {
  await machine.run('mkdir', '-p', path);
  if (medium === 'Memory' && !(await isMounted(machine, path)))
    await machine.run('mount', '-t', 'tmpfs', 'tmpfs', path);
  await machine.run('chmod', '0777', path);
}

async function isMounted(machine: Machine, path: string): Promise<boolean> {
  return await machine.run('mountpoint', '-q', path).then(
    () => true,
    () => false,
  );
}
