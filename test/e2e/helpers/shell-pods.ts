import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { renderFixture, todayFiles } from '../../helpers/vrrp/today.ts';
import type { VrrpBed } from '../../helpers/vrrp/vrrp-bed.ts';
import { createContainerEngine } from './container-engine.ts';
import { type PodName, writeFile } from './install.ts';
import { MANIFESTS } from './kubelet.ts';
import type { Machine } from './machine.ts';

const IMAGE = 'shell-pods:today';
/** Debian's packages come from somewhere. */
const BUILD_MS = 900_000;
const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));

/** The image of the pods that hawser takes the place of, into the engine that has hawser's. */
export async function buildShellPods(): Promise<void> {
  const { dir, settings, tag } = inject('builder');
  const file = ['--file', `${fixtures}/shell-pods/Containerfile`, '--build-arg', `HAWSER=${tag}`];
  const argv = ['build', '--network', 'host', '--tag', IMAGE, ...file, fixtures];
  const { exitCode, stderr } = await createContainerEngine({ dir, settings }).attempt(argv, BUILD_MS);
  if (exitCode !== 0) throw new Error(`Cannot build "${IMAGE}": ${stderr.trim()}`);
}

/** Plays the part of their monitors: what these render for a node. */
export async function renderShellPods(machine: Machine, bed: VrrpBed): Promise<void> {
  const at = (name: string) => `/etc/keepalived/${name}`;
  const firewallRule = at('firewall-rule');
  const files = todayFiles(bed, 'openshift', machine.node, { members: bed.nodes, at, firewallRule });
  // keepalived reads no configuration that could be executed, and runs no script that others could have written.
  for (const [name, text] of Object.entries(files)) {
    const path = name === 'haproxy.cfg' ? `/etc/haproxy/${name}` : at(name);
    await writeFile(machine, path, text, name.endsWith('.sh') ? '0700' : '0600');
  }
  // Of a rule that leads VIP:6443 to HAProxy. Here it leads to the holder's own API server.
  await writeFile(machine, firewallRule, '');
}

/** Both static pods of a node, rendered as they are. */
export async function installShellPods(machine: Machine, bed: VrrpBed): Promise<void> {
  await renderShellPods(machine, bed);
  for (const pod of ['haproxy', 'keepalived'] satisfies PodName[]) {
    await machine.run('mkdir', '-p', `/etc/kubernetes/static-pod-resources/${pod}`);
    const manifest = renderFixture(`shell-pods/${pod}.yaml.ejs`, { image: IMAGE, vip: bed.vip });
    await writeFile(machine, `${MANIFESTS}/${pod}.yaml`, manifest);
  }
}

/** The kubelet's credentials, as a kubelet has them: a file that names another one, which is replaced by renaming. */
export async function writeKubeletCredentials(machine: Machine, bed: VrrpBed): Promise<void> {
  const pair = '/var/lib/kubelet/pki/kubelet-client-current.pem';
  await writeFile(machine, pair, `${bed.identity.cert}${bed.identity.key}`);
  const cluster = {
    server: `https://${bed.vip}:6443`,
    'certificate-authority-data': base64(bed.authorityFile),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster }],
    users: [{ name: 'kubelet', user: { 'client-certificate': pair, 'client-key': pair } }],
    contexts: [{ name: 'kubelet', context: { cluster: 'local', user: 'kubelet' } }],
    'current-context': 'kubelet',
  };
  await writeFile(machine, '/var/lib/kubelet/kubeconfig', JSON.stringify(config));
}

function base64(path: string): string {
  return readFileSync(path).toString('base64');
}
