import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';

let node: InstallNode;
const manifests = ['haproxy', 'keepalived'].map((name) => `/etc/kubernetes/manifests/${name}.yaml`);

beforeEach(async () => {
  node = await createInstallNode();
});

test('hawser install --dry-run on an empty root fits on a screen, ends with the notices, and writes nothing', async () => {
  const result = await node.install('--dry-run');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  for (const path of manifests) expect(result.stdout).toContain(`+ ${path} (0600)\n`);
  expect(result.stdout).toContain('+ /etc/hawser/config.yaml (0644)\n');
  const lines = result.stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(30);
  expect(lines.slice(-3).map((line) => line.slice(0, 7))).toEqual(['notice:', 'notice:', 'dry run']);
  expect(result.stdout).toContain('install -m 0600 /etc/kubernetes/kubelet.conf /etc/hawser/kubeconfig\n');
  expect(node.tree()).toEqual([]);
});

test('hawser install --json prints one document with the steps, the notices and the outcome', async () => {
  const planned = JSON.parse((await node.install('--dry-run', '--json')).stdout);
  expect(planned).toMatchObject({ outcome: 'dry-run', edited: [] });
  expect(planned.notices).not.toEqual([]);
  const config = { kind: 'write', path: '/etc/hawser/config.yaml', mode: '0644', isNew: true };
  expect(planned.steps).toContainEqual(config);
  expect(node.tree()).toEqual([]);
  const done = JSON.parse((await node.install('-o', 'json')).stdout);
  expect(done).toMatchObject({ outcome: 'done', steps: planned.steps });
  expect(JSON.parse((await node.install('--json')).stdout)).toMatchObject({
    outcome: 'nothing-to-do',
    steps: [],
  });
  const { stdout } = await node.install('--ingress-vip', '10.0.0.101', '--dry-run', '-o', 'yaml');
  expect(parse(stdout).steps).toContainEqual({
    ...config,
    isNew: false,
    diff: expect.stringMatching(/^\+ingressVips: \[10\.0\.0\.101\]$/m),
  });
});

test('hawser install --json does not prompt, and prints what it refuses', async () => {
  const asked = await node.run('install', '--api-vip', '10.0.0.100', '--json');
  expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
  expect(asked.stderr).toContain('expected --yes or --dry-run');
  mkdirSync(join(node.root, 'etc/kubernetes/manifests/haproxy.yaml'), { recursive: true });
  const refused = await node.install('--json');
  expect(refused.exitCode).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    outcome: 'refused',
    problems: [expect.stringContaining('haproxy.yaml": it is not a regular file')],
  });
});

test('hawser install --dry-run shows the diff of each changed file and nothing of the others', async () => {
  await node.install();
  const { stdout } = await node.install('--ingress-vip', '10.0.0.101', '--dry-run');
  expect(stdout).toContain('~ /etc/hawser/config.yaml (0644)\n');
  expect(stdout).toMatch(/^\+ingressVips: \[10\.0\.0\.101\]$/m);
  expect(stdout).not.toContain('haproxy.cfg.ejs');
});

test('hawser install --dry-run names the pods that restart: only those whose settings change', async () => {
  await node.install();
  const { stdout } = await node.install('--ingress-vip', '10.0.0.101', '--dry-run');
  expect(stdout.match(/^restarts .*$/gm)).toEqual([
    'restarts keepalived and keepalived-monitor: /etc/kubernetes/manifests/keepalived.yaml changes',
  ]);
  node.write(
    '/etc/hawser/config.yaml',
    `${node.read('/etc/hawser/config.yaml')}haproxy:\n  statPort: 29999\n`,
  );
  const { restarts } = JSON.parse((await node.install('--dry-run', '--json')).stdout);
  expect(restarts).toEqual([
    { manifest: '/etc/kubernetes/manifests/haproxy.yaml', containers: ['haproxy', 'haproxy-monitor'] },
  ]);
});

test.each([
  ['--first-node', 'kubeadm init'],
  ['--join', 'kubeadm join'],
])('with %s the pods wait for %s, and no notice asks for a flag that was given', async (flag, what) => {
  const { stdout } = await node.install('--dry-run', flag, '--cluster-name', 'prod');
  expect(stdout).toContain(`ca.crt does not exist yet: the pods wait for ${what}\n`);
});

test('hawser install --dry-run is repeatable, and reports nothing to do after the install', async () => {
  const first = await node.install('--dry-run');
  expect(await node.install('--dry-run')).toEqual(first);
  await node.install();
  const installed = node.tree('exact');
  for (const _ of ['once', 'twice']) {
    const result = await node.install('--dry-run');
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain('already up to date\n');
    expect(result.stdout).not.toMatch(/^[-+]/m);
  }
  expect(node.tree('exact')).toEqual(installed);
});

test('hawser install --dry-run on a broken root lists every reason and every planned change, and writes nothing', async () => {
  mkdirSync(join(node.root, 'etc/kubernetes/manifests/haproxy.yaml'), { recursive: true });
  writeFileSync(join(node.root, 'etc/kubernetes/static-pod-resources'), '');
  node.write('/etc/kubernetes/manifests/kube-vip.yaml', 'spec: {containers: [{name: kube-vip, image: x}]}\n');
  const before = node.tree('exact');
  const result = await node.install('--dry-run');
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/haproxy\.yaml": it is not a regular file/);
  expect(result.stderr).toMatch(/static-pod-resources" as a folder: it is a file/);
  expect(result.stderr).toMatch(/next to ".*kube-vip\.yaml": it runs kube-vip/);
  expect(result.stdout).toContain('+ /etc/hawser/config.yaml (0644)\n');
  expect(node.tree('exact')).toEqual(before);
});
