import { inject } from 'vitest';
import type { VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { kubeconfig } from '../stand-ins/kubeconfig.ts';
import { MANIFESTS } from './kubelet.ts';
import type { Machine } from './machine.ts';

export type PodName = 'haproxy' | 'keepalived';

const SETTINGS = '/etc/hawser/config.yaml';
const ASIDE = '/etc/kubernetes/aside';

/** `hawser install` from the image, as in the README. */
export async function install(
  machine: Machine,
  bed: VrrpBed,
  {
    image = inject('builder').tag,
    // All nodes are installed at once: none serves yet, so none can tell the name.
    flags = ['--join', '--cluster-name', 'e2e'],
  }: { image?: string; flags?: readonly string[] } = {},
): Promise<void> {
  await writeSettings(machine);
  const container = ['run', '--rm', '--net=host', '-v', '/:/host', image];
  const asked = ['--root', '/host', '--api-vip', bed.vip, '--image', image, '--yes', ...flags];
  await machine.engine.podman(...container, 'install', ...asked);
}

/**
 * Before the first install. podman may restart a monitor, which is then silent for longer than the default allows. Clients cannot
 * close the connections they leave on a node when the VIP moves: those take the whole drain timeout of its HAProxy.
 */
export async function writeSettings(machine: Machine): Promise<void> {
  const text = 'haproxy:\n  drainTimeout: 10s\nkeepalived:\n  monitorTimeout: 60s\n';
  if ((await machine.run('sh', '-c', `ls ${SETTINGS} 2>&1 || :`)).trim() !== SETTINGS)
    await writeFile(machine, SETTINGS, text);
}

/** `hawser uninstall` from the image. Resolves once nothing is left; throws with what is. */
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

/** Moves a pod's manifest out of the kubelet's folder. */
export async function takeOut(machine: Machine, pod: PodName): Promise<void> {
  await machine.run('sh', '-c', `mkdir -p ${ASIDE} && mv ${MANIFESTS}/${pod}.yaml ${ASIDE}/`);
}

export async function putBack(machine: Machine, pod: PodName): Promise<void> {
  await machine.run('mv', `${ASIDE}/${pod}.yaml`, `${MANIFESTS}/`);
}

/** hawser's credentials in a single file, renamed into place. */
export async function writeKubeconfig(machine: Machine, bed: VrrpBed): Promise<void> {
  await writeFile(machine, '/etc/hawser/kubeconfig', kubeconfig(bed, `${bed.vip}:6443`));
}

/** Writes a new file and renames it, so that no reader sees half of it. Missing folders are created private. */
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
