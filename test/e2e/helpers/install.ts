import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import type { VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { MANIFESTS } from './kubelet.ts';
import type { Machine } from './machine.ts';

export type PodName = 'haproxy' | 'keepalived';

const SETTINGS = '/etc/hawser/config.yaml';
const ASIDE = '/etc/kubernetes/aside';

/**
 * `hawser install` out of the image, as docs/install.md has it for a node without the program. A busy machine may be
 * silent for longer than by default before it looks like a dead one.
 */
export async function install(
  machine: Machine,
  bed: VrrpBed,
  { image = inject('builder').tag, flags = ['--join'] }: { image?: string; flags?: readonly string[] } = {},
): Promise<void> {
  if ((await machine.run('sh', '-c', `ls ${SETTINGS} 2>&1 || :`)).trim() !== SETTINGS)
    await writeFile(machine, SETTINGS, 'keepalived:\n  advertInterval: 500ms\n');
  const container = ['run', '--rm', '--net=host', '-v', '/:/host', image];
  const asked = ['--root', '/host', '--api-vip', bed.vip, '--image', image, '--yes', ...flags];
  await machine.engine.podman(...container, 'install', ...asked);
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
  await writeFile(machine, '/etc/hawser/kubeconfig', kubeconfigOf(bed));
}

/** Of an administrator, by the VIP, with every key in it. */
export function kubeconfigOf(bed: VrrpBed): string {
  const base64 = (path: string) => readFileSync(path).toString('base64');
  const { certFile, keyFile } = bed.identity;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'bed',
        cluster: {
          server: `https://${bed.vip}:6443`,
          'certificate-authority-data': base64(bed.authorityFile),
        },
      },
    ],
    users: [
      {
        name: 'hawser',
        user: { 'client-certificate-data': base64(certFile), 'client-key-data': base64(keyFile) },
      },
    ],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'hawser' } }],
    'current-context': 'bed',
  };
  return JSON.stringify(config);
}

/** Written beside, then renamed: nobody ever reads half of it. */
async function writeFile(machine: Machine, path: string, text: string): Promise<void> {
  const script = 'umask 077 && mkdir -p "$(dirname "$1")" && printf %s "$2" >"$1.new" && mv "$1.new" "$1"';
  await machine.run('sh', '-c', script, 'write', path, text);
}
