import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../helpers/vrrp/bed-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import type { Machine } from './machine.ts';

const script = fileURLToPath(new URL('../../../scripts/packaged-programs.sh', import.meta.url));
const PROGRAMS = ['containerd', 'ctr', 'containerd-shim-runc-v2'] as const;

/** Disables the plugins that reach beyond containerd's own folders and that `ctr` does not need. */
const CONFIG = `version = 2
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]
`;

/**
 * Starts Debian's containerd as a process of a machine, which ends with it, and gives it an image of the machine's
 * podman under the names `as`. Returns a PATH on which `ctr` is found and `podman` always fails.
 */
export async function startContainerd(
  machine: Machine,
  image: string,
  as: readonly string[],
): Promise<string> {
  const found = execFileSync('sh', [script, 'containerd', ...PROGRAMS], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [containerd = '', ctr = ''] = found.split('\n');
  const dir = join(machine.engine.dir, 'containerd');
  const bin = join(dir, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(dir, 'config.toml'), CONFIG);
  symlinkSync(ctr, join(bin, 'ctr'));
  writeFileSync(join(bin, 'podman'), '#!/bin/sh\nexit 125\n');
  chmodSync(join(bin, 'podman'), 0o755);

  // The shims put their sockets there regardless of the settings.
  await machine.run('sh', '-c', 'mkdir -p /run/containerd && mount -t tmpfs tmpfs /run/containerd');
  const { PATH = '' } = process.env;
  const own = [`PATH=${dirname(containerd)}:${PATH}`, containerd];
  const folders = ['--config', join(dir, 'config.toml'), '--root', join(dir, 'root')];
  startProcess(machine.prefix, [...own, ...folders], machine.node.at('containerd.log'));
  await waitFor('containerd to answer', async () => (await machine.run(ctr, 'version')).includes('Server:'));

  const archive = join(dir, 'image.tar');
  await machine.engine.podman('save', '--quiet', '--output', archive, image);
  await machine.run(ctr, '-n', 'k8s.io', 'images', 'import', archive);
  rmSync(archive);
  for (const name of as) await machine.run(ctr, '-n', 'k8s.io', 'images', 'tag', `localhost/${image}`, name);
  return `${bin}:${PATH}`;
}
