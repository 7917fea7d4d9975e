import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createInstallNode, type InstallNode } from '../../helpers/install-node.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';

let node: InstallNode;
const manifests = ['haproxy', 'keepalived'].map((name) => `/etc/kubernetes/manifests/${name}.yaml`);

beforeAll(ensureBuilt);
beforeEach(async () => {
  node = await createInstallNode();
});
afterEach(async () => {
  await node[Symbol.asyncDispose]();
});

test('hawser install --dry-run on an empty root shows everything, and writes nothing', async () => {
  const result = await node.install('--dry-run');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  for (const path of [...manifests, '/etc/hawser/config.yaml'])
    expect(result.stdout).toContain(`+++ ${path}\n`);
  expect(result.stdout).toContain('+apiVips: [10.0.0.100]\n');
  expect(result.stdout).toMatch(/notice: .*ca\.crt is not there/);
  expect(node.tree()).toEqual([]);
});

test('hawser install --dry-run twice on the same root says the same, and after the install that there is nothing to do', async () => {
  const first = await node.install('--dry-run');
  expect(await node.install('--dry-run')).toEqual(first);
  await node.install();
  const installed = node.tree('exact');
  for (const _ of ['once', 'twice']) {
    const result = await node.install('--dry-run');
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain('nothing to do: everything is as it should be\n');
    expect(result.stdout).not.toMatch(/^[-+]/m);
  }
  expect(node.tree('exact')).toEqual(installed);
});

test('hawser install --dry-run on a broken root lists every reason at once beside what it would write, and writes nothing', async () => {
  mkdirSync(join(node.root, 'etc/kubernetes/manifests/haproxy.yaml'), { recursive: true });
  writeFileSync(join(node.root, 'etc/kubernetes/static-pod-resources'), '');
  node.write('/etc/kubernetes/manifests/kube-vip.yaml', 'spec: {containers: [{name: kube-vip, image: x}]}\n');
  const before = node.tree('exact');
  const result = await node.install('--dry-run');
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/haproxy\.yaml": it is no regular file/);
  expect(result.stderr).toMatch(/static-pod-resources" as a folder: it is a file/);
  expect(result.stderr).toMatch(/beside ".*kube-vip\.yaml": it runs kube-vip/);
  expect(result.stdout).toContain('+++ /etc/hawser/config.yaml\n');
  expect(node.tree('exact')).toEqual(before);
});
