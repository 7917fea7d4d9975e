import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { addAddress } from '../../../helpers/net-namespace.ts';
import { ensureBuilt } from '../../../helpers/supervisor-build.ts';

let node: InstallNode;
const manifests = ['haproxy', 'keepalived'].map((name) => `/etc/kubernetes/manifests/${name}.yaml`);

beforeAll(ensureBuilt);
beforeEach(async () => {
  node = await createInstallNode();
});
afterEach(async () => {
  await node[Symbol.asyncDispose]();
});

test('everything is there afterwards, with its mode, and pods that name nothing but the settings', async () => {
  expect(
    await node.install('--image', 'registry.example/hawser:9', '--ingress-vip', '10.0.0.101'),
  ).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(node.tree().filter((line) => !line.endsWith(' 755'))).toEqual([
    '/etc/hawser/config.schema.json 644',
    '/etc/hawser/config.yaml 644',
    '/etc/hawser/installed.json 644',
    ...manifests.map((path) => `${path} 600`),
    '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs 644',
    '/etc/kubernetes/static-pod-resources/keepalived/keepalived.conf.ejs 644',
    '/var/log/hawser 1775',
  ]);
  // It ends in "755", as folders do.
  expect(node.tree()).toContain('/usr/local/bin/hawser 755');
  expect(node.read('/etc/hawser/config.yaml')).toMatch(
    /^# yaml-language-server: \$schema=config\.schema\.json\n/,
  );
  expect(parse(node.read('/etc/hawser/config.yaml'))).toEqual({
    apiVips: ['10.0.0.100'],
    ingressVips: ['10.0.0.101'],
    clusterName: '10-0-0-100',
  });
  for (const path of manifests)
    for (const { image, args } of parse(node.read(path)).spec.containers) {
      expect(image).toBe('registry.example/hawser:9');
      expect(args.filter((arg: string) => arg.startsWith('--'))).toEqual([
        '--settings=/etc/hawser/config.yaml',
        '--journal=/var/log/hawser',
      ]);
    }
});

test('a second time there is nothing to do, and no file is touched', async () => {
  await node.install();
  const before = node.tree('exact');
  const again = await node.install();
  expect(again).toMatchObject({ exitCode: 0, stderr: '' });
  expect(again.stdout).toContain('already up to date');
  const bare = await node.run('install', '--yes');
  expect(bare.stdout).toContain('already up to date');
  expect(node.tree('exact')).toEqual(before);
});

test('edited settings stay, and a port that is changed there reaches the probes', async () => {
  await node.install();
  const settings = node.read('/etc/hawser/config.yaml');
  const edited = `${settings}# ours\nhealthPort: 50999\nhaproxy:\n  drainTimeout: 20s # short\n  listen: 127.0.0.1:50001\n`;
  node.write('/etc/hawser/config.yaml', edited);
  const result = await node.run('install', '--yes', '--interface', 'eth0');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toMatch(/^-\s+port: 9444$/m);
  expect(node.read('/etc/hawser/config.yaml')).toBe(`${edited}interface: eth0\n`);
  const { spec } = parse(node.read('/etc/kubernetes/manifests/haproxy.yaml'));
  expect(spec.terminationGracePeriodSeconds).toBe(30);
  expect(
    spec.containers.map(
      (each: { livenessProbe: { httpGet: { port: number } } }) => each.livenessProbe.httpGet.port,
    ),
  ).toEqual([50_999, 50_001]);
});

test('a changed setting restarts the pods it concerns, and a changed comment none', async () => {
  await node.install();
  const settings = node.read('/etc/hawser/config.yaml');
  const changed = async (text: string, ...flags: readonly string[]) => {
    const before = manifests.map(node.read);
    node.write('/etc/hawser/config.yaml', text);
    expect(await node.run('install', '--yes', ...flags)).toMatchObject({ exitCode: 0, stderr: '' });
    return manifests.filter((path, index) => node.read(path) !== before[index]);
  };
  expect(await changed(`${settings}# ours\n`)).toEqual([]);
  expect(await changed(`${settings}keepalived: {monitorTimeout: 5s}\n`)).toEqual([manifests[1]]);
  expect(await changed(`${settings}settle: 2s\n`)).toEqual(manifests);
  expect(await changed(node.read('/etc/hawser/config.yaml'), '--api-vip', '10.0.0.99')).toEqual(manifests);
});

test('a manifest that was opened to others is closed, and one that was removed is put back', async () => {
  await node.install();
  chmodSync(join(node.root, manifests[0] ?? ''), 0o644);
  rmSync(join(node.root, manifests[1] ?? ''));
  expect(await node.install()).toMatchObject({ exitCode: 0, stderr: '' });
  for (const path of manifests) expect(node.tree()).toContain(`${path} 600`);
});

test('shell pods in the place of the pods are refused, and so is their VIP where it is left on an interface', async () => {
  const theirs = 'kind: Pod\nspec: {containers: [{name: haproxy, image: quay.example/haproxy}]}\n';
  for (const path of manifests) node.write(path, theirs);
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
  const refused = await node.install();
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toMatch(/haproxy\.yaml": hawser did not write it.*\n.*keepalived\.yaml"/);
  expect(refused.stderr).toMatch(/10\.0\.0\.100.*eth0/);
  expect(manifests.map(node.read)).toEqual([theirs, theirs]);
});

test('the monitors get the certificate that the kubelet renews, until --credentials own is typed', async () => {
  const result = await node.run('install', '--yes', '--api-vip', '10.0.0.100');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toContain(
    'type: install -m 0600 /etc/kubernetes/kubelet.conf /etc/hawser/kubeconfig\n',
  );
  const mounts = () =>
    manifests
      .flatMap((path) => Object.values<{ name: string }[]>(parse(node.read(path)).spec).flat())
      .flatMap((each: { name?: string; volumeMounts?: { mountPath: string }[] }) =>
        each?.volumeMounts?.some(({ mountPath }) => mountPath === '/var/lib/kubelet/pki') ? each.name : [],
      );
  expect(mounts()).toEqual(['haproxy-monitor', 'keepalived-monitor']);
  expect((await node.run('install', '--yes')).stdout).toContain('already up to date');
  await node.run('install', '--yes', '--credentials', 'own');
  expect(mounts()).toEqual([]);
  expect((await node.run('install', '--yes')).stdout).toContain('already up to date');
});

test('without a terminal and without --yes nothing is written', async () => {
  const result = await node.run('install', '--api-vip', '10.0.0.100');
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
  expect(node.tree()).toEqual([]);
});

test('a broken root: every reason at once, and nothing is changed', async () => {
  mkdirSync(join(node.root, 'etc/kubernetes/manifests/haproxy.yaml'), { recursive: true });
  writeFileSync(join(node.root, 'etc/kubernetes/static-pod-resources'), '');
  node.write('/etc/kubernetes/manifests/kube-vip.yaml', 'spec: {containers: [{name: kube-vip, image: x}]}\n');
  node.write(
    '/etc/kubernetes/manifests/haproxy.yaml.bak',
    'spec: {containers: [{name: haproxy, image: x}]}\n',
  );
  node.write('/etc/kubernetes/manifests/half.yaml', 'spec: {containers: [\n');
  const before = node.tree('exact');
  const result = await node.install();
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/haproxy\.yaml": it is not a regular file/);
  expect(result.stderr).toMatch(/static-pod-resources" as a folder: it is a file/);
  expect(result.stderr).toMatch(/next to ".*kube-vip\.yaml": it runs kube-vip/);
  expect(result.stderr).toMatch(/next to ".*haproxy\.yaml\.bak": it runs haproxy/);
  expect(result.stdout).toMatch(/notice: .*half\.yaml cannot be read: invalid YAML/);
  expect(node.tree('exact')).toEqual(before);
});

test('settings and a record that cannot be read are refused by name', async () => {
  node.write('/etc/hawser/config.yaml', 'apiPrt: 1\nlogLevel: loud\n');
  const settings = await node.install();
  expect(settings).toMatchObject({ exitCode: 2 });
  expect(settings.stderr).toMatch(/config\.yaml:1: .*apiPrt.*apiPort\?\n.*config\.yaml:2: .*logLevel "loud"/);
  node.write('/etc/hawser/config.yaml', 'logLevel: info\n');
  node.write('/etc/hawser/installed.json', '{"version":');
  expect(await node.install()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('installed.json'),
  });
  rmSync(join(node.root, 'etc/hawser/installed.json'));
  symlinkSync('/etc/passwd', join(node.root, 'etc/hawser/installed.json'));
  expect(await node.install()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('not a regular file'),
  });
});

test('a missing root, and no VIP at all', async () => {
  rmSync(node.root, { recursive: true });
  expect(await node.install()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(node.root) });
  expect(await node.run('install', '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('api-vip'),
  });
});

test('settings that were written before the first install stay, and get the name that a first node needs', async () => {
  node.write('/etc/hawser/config.yaml', 'keepalived:\n  monitorTimeout: 5s\n');
  expect(await node.install('--first-node')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(parse(node.read('/etc/hawser/config.yaml'))).toEqual({
    keepalived: { monitorTimeout: '5s', firstNode: true },
    apiVips: ['10.0.0.100'],
    clusterName: '10-0-0-100',
  });
});
