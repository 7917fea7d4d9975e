import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CommandResult, runCommand } from '../../src/engine/system/process/run-command.ts';
import { connectPair, createNetNamespace, type NetNamespace } from './net-namespace.ts';
import { hawser } from './supervisor-build.ts';
import { testFolder } from './test-folder.ts';
import { waitFor } from './wait-for.ts';

/** A node to install on: a root directory, and a network with one neighbour. The VIP of the tests is 10.0.0.100. */
export interface InstallNode {
  readonly root: string;
  /** Has 10.0.0.1/24 on eth0. */
  readonly namespace: NetNamespace;
  /** Has 10.0.0.2/24. */
  readonly neighbour: NetNamespace;
  /** The built program, with `--root`. */
  readonly run: (...argv: readonly string[]) => Promise<CommandResult>;
  /** `install --api-vip 10.0.0.100 --yes` plus these flags. */
  readonly install: (...flags: readonly string[]) => Promise<CommandResult>;
  readonly read: (path: string) => string;
  readonly write: (path: string, content: string) => void;
  /** `path mode` of everything below the root; `exact` adds mtime and inode. */
  readonly tree: (detail?: 'plain' | 'exact') => readonly string[];
}

/** For the running test: everything started inside ends with the namespaces. */
export async function createInstallNode(): Promise<InstallNode> {
  const root = testFolder();
  const namespace = await createNetNamespace();
  const neighbour = await createNetNamespace();
  onTestFinished(async () => {
    await namespace.remove();
    await neighbour.remove();
  });
  await connectPair(
    { namespace, device: 'eth0', addresses: ['10.0.0.1/24'] },
    { namespace: neighbour, device: 'eth0', addresses: ['10.0.0.2/24'] },
  );
  // The interface is one of the node's only once the kernel has noticed its carrier.
  await waitFor('the carrier', () =>
    namespace.run('ip', '-o', 'link', 'show', 'eth0').then((text) => text.includes('state UP')),
  );
  const run: InstallNode['run'] = (...argv) =>
    runCommand([...namespace.prefix, hawser, ...argv, '--root', root], { timeoutMs: 60_000 });
  return {
    root,
    namespace,
    neighbour,
    run,
    install: (...flags) => run('install', '--api-vip', '10.0.0.100', '--yes', ...flags),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    tree: (detail = 'plain') => treeOf(root, detail),
  };
}

function treeOf(root: string, detail: 'plain' | 'exact'): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((path) => {
      const { mode, mtimeNs, ino } = statSync(join(root, path), { bigint: true });
      const shown = `/${path} ${(Number(mode) & 0o7777).toString(8)}`;
      return detail === 'plain' ? shown : `${shown} ${mtimeNs} ${ino}`;
    });
}

/** What kubeadm leaves on a control-plane node: a manifest of its own and the cluster's authority. */
export function makeControlPlane(node: InstallNode, authorityFile: string): void {
  node.write('/etc/kubernetes/manifests/kube-apiserver.yaml', apiServerManifest);
  mkdirSync(join(node.root, 'etc/kubernetes/pki'), { recursive: true });
  cpSync(authorityFile, join(node.root, 'etc/kubernetes/pki/ca.crt'));
}

const apiServerManifest = `apiVersion: v1
kind: Pod
metadata: {name: kube-apiserver, namespace: kube-system}
spec: {containers: [{name: kube-apiserver, image: "registry.k8s.io/kube-apiserver:v1.32.0"}]}
`;
