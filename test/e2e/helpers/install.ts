import { inject } from 'vitest';
import type { VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { kubeconfig } from '../stand-ins/kubeconfig.ts';
import { MANIFESTS } from './kubelet.ts';
import type { Machine } from './machine.ts';

export type PodName = 'haproxy' | 'keepalived';

const SETTINGS = '/etc/hawser/config.yaml';
const ASIDE = '/etc/kubernetes/aside';

/** `hawser install` out of the image, as the README has it. */
export async function install(
  machine: Machine,
  bed: VrrpBed,
  {
    image = inject('builder').tag,
    // All nodes at once: none serves yet that could say the name.
    flags = ['--join', '--cluster-name', 'e2e'],
  }: { image?: string; flags?: readonly string[] } = {},
): Promise<void> {
  await writeSettings(machine);
  const container = ['run', '--rm', '--net=host', '-v', '/:/host', image];
  const asked = ['--root', '/host', '--api-vip', bed.vip, '--image', image, '--yes', ...flags];
  await machine.engine.podman(...container, 'install', ...asked);
}

/**
 * Before an install, where there are none. A monitor may be silent for longer than by default while podman restarts it. What a node's clients leave behind when the VIP moves
 * takes the whole drain timeout of its HAProxy, because they cannot say goodbye.
 */
export async function writeSettings(machine: Machine): Promise<void> {
  const text = 'haproxy:\n  drainTimeout: 10s\nkeepalived:\n  monitorTimeout: 60s\n';
  if ((await machine.run('sh', '-c', `ls ${SETTINGS} 2>&1 || :`)).trim() !== SETTINGS)
    await writeFile(machine, SETTINGS, text);
}

/** `hawser uninstall` out of the image. Resolves once nothing is left; throws with what is. */
export async function uninstall(machine: Machine): Promise<void> {
  const container = [
    'run',
    '--rm',
    '--net=host',
    '--cap-add=NET_ADMIN',
    '-v',
    '/:/host',
    inject('builder').tag,
  ];
  await machine.engine.podman(...container, 'uninstall', '--root', '/host');
}

/** Takes a pod's manifest out of the kubelet's folder. */
export async function takeOut(machine: Machine, pod: PodName): Promise<void> {
  await machine.run('sh', '-c', `mkdir -p ${ASIDE} && mv ${MANIFESTS}/${pod}.yaml ${ASIDE}/`);
}

export async function putBack(machine: Machine, pod: PodName): Promise<void> {
  await machine.run('mv', `${ASIDE}/${pod}.yaml`, `${MANIFESTS}/`);
}

/** hawser's credentials, with everything in one file, renamed into place. */
export async function writeKubeconfig(machine: Machine, bed: VrrpBed): Promise<void> {
  await writeFile(machine, '/etc/hawser/kubeconfig', kubeconfig(bed, `${bed.vip}:6443`));
}

/** Written beside, then renamed: a reader never sees half of it. Folders that are missing are closed to others. */
export async function writeFile(
  machine: Machine,
  path: string,
  text: string,
  mode: '0600' | '0700' = '0600',
): Promise<void> {
  const write = 'printf %s "$2" >"$1.new" && chmod "$3" "$1.new" && mv "$1.new" "$1"';
  const script = `umask 077 && mkdir -p "$(dirname "$1")" && ${write}`;
  await machine.run('sh', '-c', script, 'write', path, text, mode);
}
