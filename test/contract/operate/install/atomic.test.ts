import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';

let node: InstallNode;

beforeEach(async () => {
  node = await createInstallNode();
});

/** Reads the manifests folder like a kubelet, but every millisecond, and records all names and contents. */
function startKubelet() {
  const folder = join(node.root, 'etc/kubernetes/manifests');
  const names = new Set<string>();
  const contents = new Set<string>();
  const watcher: FSWatcher = watch(folder, (_event, name) => name !== null && names.add(name));
  const look = (): void => {
    for (const name of readdirSync(folder)) {
      names.add(name);
      try {
        contents.add(readFileSync(join(folder, name), 'utf8'));
      } catch {
        // The file was replaced between listing and reading.
      }
    }
  };
  let isStopped = false;
  const loop = (): void => {
    look();
    if (!isStopped) setTimeout(loop, 1);
  };
  loop();
  return {
    names,
    contents,
    stop: () => {
      isStopped = true;
      look();
      watcher.close();
    },
  };
}

test('a reader of the manifests folder finds only complete pods, at the first install and at an upgrade', async () => {
  node.write(
    '/etc/kubernetes/manifests/kube-apiserver.yaml',
    'kind: Pod\nspec: {containers: [{name: a, image: one}]}\n',
  );
  const kubelet = startKubelet();
  for (const image of ['hawser:1', 'hawser:2', 'hawser:3'])
    expect(await node.install('--image', image)).toMatchObject({ exitCode: 0 });
  kubelet.stop();
  expect([...kubelet.names].toSorted()).toEqual(['haproxy.yaml', 'keepalived.yaml', 'kube-apiserver.yaml']);
  const complete = [...kubelet.contents].map((text) => parse(text).spec.containers.at(-1).image);
  expect(complete).toContain('hawser:3');
  expect(complete).not.toContain(undefined);
  expect(node.tree().filter((path) => /\/\./.test(path))).toEqual([]);
});

test('if the manifests folder is not writable, all steps are undone and reported', async () => {
  const folder = join(node.root, 'etc/kubernetes/manifests');
  node.write('/etc/kubernetes/manifests/kube-apiserver.yaml', 'kind: Pod\n');
  const before = node.tree();
  // In a separate mount namespace, which ends with the program.
  const script =
    'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const install = [hawser, 'install', '--root', node.root, '--api-vip', '10.0.0.100', '--yes'];
  const argv = [...node.namespace.prefix, 'unshare', '-m', 'sh', '-c', script, folder, ...install] as const;
  const result = await runCommand([argv[0], ...argv.slice(1)], { timeoutMs: 60_000 });
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toMatch(
    /Cannot write "\/etc\/kubernetes\/manifests\/haproxy\.yaml": (?:EXDEV|EROFS)/,
  );
  expect(result.stderr).toContain('undone: /etc/hawser/config.yaml\n');
  expect(node.tree()).toEqual(before);
});
