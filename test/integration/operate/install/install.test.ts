import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { addAddress } from '../../../helpers/net-namespace.ts';

let node: InstallNode;
const manifests = ['haproxy', 'keepalived'].map((name) => `/etc/kubernetes/manifests/${name}.yaml`);
const SETTINGS = '/etc/hawser/config.yaml';
const RECORD = '/etc/hawser/installed.json';

beforeEach(async () => {
  node = await createInstallNode();
});

const done = { exitCode: 0, stderr: '' };
const again = async (...flags: readonly string[]) => await node.run('install', '--yes', ...flags);

test('an install writes every file with its mode, and the pods contain only the settings', async () => {
  const image = 'registry.example/hawser:9';
  expect(await node.install('--image', image, '--ingress-vip', '10.0.0.101')).toMatchObject(done);
  expect(node.tree().filter((line) => !line.endsWith(' 755'))).toEqual([
    '/etc/hawser/config.schema.json 644',
    `${SETTINGS} 644`,
    `${RECORD} 644`,
    ...manifests.map((path) => `${path} 600`),
    '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs 644',
    '/etc/kubernetes/static-pod-resources/keepalived/keepalived.conf.ejs 644',
    '/var/log/hawser 1775',
  ]);
  // Folders end in "755" too, so the filter above drops it.
  expect(node.tree()).toContain('/usr/local/bin/hawser 755');
  expect(node.read(SETTINGS)).toMatch(/^# yaml-language-server: \$schema=config\.schema\.json\n/);
  expect(parse(node.read(SETTINGS))).toEqual({
    apiVips: ['10.0.0.100'],
    ingressVips: ['10.0.0.101'],
    clusterName: '10-0-0-100',
  });
  for (const path of manifests)
    for (const each of parse(node.read(path)).spec.containers) expect(each.image).toBe(image);
});

test('a second install has nothing to do and touches no file', async () => {
  await node.install();
  const before = node.tree('exact');
  for (const result of [await node.install(), await again()])
    expect(result).toMatchObject({ ...done, stdout: expect.stringContaining('already up to date') });
  expect(node.tree('exact')).toEqual(before);
});

test('edited settings are kept, and a port changed there reaches the probes', async () => {
  await node.install();
  const edited = `${node.read(SETTINGS)}# ours\nhealthPort: 50999\nhaproxy:\n  drainTimeout: 20s # short\n`;
  node.write(SETTINGS, edited);
  const result = await again('--interface', 'eth0');
  expect(result).toMatchObject({ ...done, stdout: expect.stringMatching(/^-\s+port: 9444$/m) });
  expect(node.read(SETTINGS)).toBe(`${edited}interface: eth0\n`);
  const { spec } = parse(node.read(manifests[0] ?? ''));
  expect(spec.terminationGracePeriodSeconds).toBe(30);
  expect(spec.containers[0].livenessProbe.httpGet.port).toBe(50_999);
});

test.each<[change: string, settings: string, flags: readonly string[], pods: readonly (0 | 1)[]]>([
  ['a comment', '# ours\n', [], []],
  ['a setting of keepalived', 'keepalived: {monitorTimeout: 5s}\n', [], [1]],
  ['a setting of both', 'settle: 2s\n', [], [0, 1]],
  ['a flag', '', ['--api-vip', '10.0.0.99'], [0, 1]],
])('%s restarts only the affected pods', async (_, settings, flags, pods) => {
  await node.install();
  const before = manifests.map(node.read);
  node.write(SETTINGS, `${node.read(SETTINGS)}${settings}`);
  expect(await again(...flags)).toMatchObject(done);
  const changed = manifests.flatMap((path, index) => (node.read(path) === before[index] ? [] : index));
  expect(changed).toEqual(pods);
});

test('the mode of a world-readable manifest is corrected, and a removed manifest is restored', async () => {
  await node.install();
  chmodSync(join(node.root, manifests[0] ?? ''), 0o644);
  rmSync(join(node.root, manifests[1] ?? ''));
  expect(await node.install()).toMatchObject(done);
  for (const path of manifests) expect(node.tree()).toContain(`${path} 600`);
});

test('the monitors use the certificate that the kubelet renews, until --credentials own is given', async () => {
  const copied = 'run: install -m 0600 /etc/kubernetes/kubelet.conf /etc/hawser/kubeconfig\n';
  expect(await again('--api-vip', '10.0.0.100')).toMatchObject({
    ...done,
    stdout: expect.stringContaining(copied),
  });
  const users = () =>
    manifests.flatMap((path) =>
      parse(node.read(path)).spec.containers.flatMap(
        (each: { name: string; volumeMounts: { mountPath: string }[] }) =>
          each.volumeMounts.some(({ mountPath }) => mountPath === '/var/lib/kubelet/pki') ? each.name : [],
      ),
    );
  expect(users()).toEqual(['haproxy-monitor', 'keepalived-monitor']);
  expect((await again()).stdout).toContain('already up to date');
  await again('--credentials', 'own');
  expect(users()).toEqual([]);
  expect((await again()).stdout).toContain('already up to date');
});

test('settings written before the first install are kept and get the cluster name that a first node needs', async () => {
  node.write(SETTINGS, 'keepalived:\n  monitorTimeout: 5s\n');
  expect(await node.install('--first-node')).toMatchObject(done);
  expect(parse(node.read(SETTINGS))).toEqual({
    keepalived: { monitorTimeout: '5s', firstNode: true },
    apiVips: ['10.0.0.100'],
    clusterName: '10-0-0-100',
  });
});

const rivals = (): void => {
  mkdirSync(join(node.root, manifests[0] ?? ''), { recursive: true });
  writeFileSync(join(node.root, 'etc/kubernetes/static-pod-resources'), '');
  const pod = (name: string) => `spec: {containers: [{name: ${name}, image: x}]}\n`;
  node.write('/etc/kubernetes/manifests/kube-vip.yaml', pod('kube-vip'));
  node.write('/etc/kubernetes/manifests/haproxy.yaml.bak', pod('haproxy'));
  node.write('/etc/kubernetes/manifests/half.yaml', 'spec: {containers: [\n');
};
const shellPods = async (): Promise<void> => {
  for (const path of manifests)
    node.write(path, 'spec: {containers: [{name: haproxy, image: quay.example/haproxy}]}\n');
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
};
const link = (): void => {
  mkdirSync(join(node.root, 'etc/hawser'), { recursive: true });
  symlinkSync('/etc/passwd', join(node.root, RECORD));
};
const vip = ['--yes', '--api-vip', '10.0.0.100'];

test.each<
  [what: string, make: () => void | Promise<void>, flags: readonly string[], reasons: readonly RegExp[]]
>([
  ['without a terminal and --yes', () => undefined, vip.slice(1), [/--yes/]],
  ['without a VIP', () => undefined, ['--yes'], [/api-vip/]],
  [
    'over shell pods and their VIP',
    shellPods,
    vip,
    [/haproxy\.yaml": hawser did not write it/, /keepalived\.yaml": hawser did not/, /10\.0\.0\.100.*eth0/],
  ],
  [
    'for every reason at once',
    rivals,
    vip,
    [
      /haproxy\.yaml": it is not a regular file/,
      /static-pod-resources" as a folder: it is a file/,
      /next to ".*kube-vip\.yaml": it runs kube-vip/,
      /next to ".*haproxy\.yaml\.bak": it runs haproxy/,
      /notice: .*half\.yaml cannot be read: invalid YAML/,
    ],
  ],
  [
    'with broken settings',
    () => node.write(SETTINGS, 'apiPrt: 1\nlogLevel: loud\n'),
    vip,
    [/config\.yaml:1: .*apiPrt.*apiPort\?\n.*config\.yaml:2: .*logLevel "loud"/],
  ],
  ['with a broken record', () => node.write(RECORD, '{"version":'), vip, [/installed\.json/]],
  ['with a link as its record', link, vip, [/not a regular file/]],
])('an install %s is refused and changes nothing', async (_, make, flags, reasons) => {
  await make();
  const before = node.tree('exact');
  const { exitCode, stdout, stderr } = await node.run('install', ...flags);
  expect(exitCode).toBe(2);
  for (const reason of reasons) expect(`${stdout}${stderr}`).toMatch(reason);
  expect(node.tree('exact')).toEqual(before);
});

test("an install below a missing root is refused with the root's name", async () => {
  rmSync(node.root, { recursive: true });
  expect(await node.install()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(node.root) });
});

const COMMAND = '/usr/local/bin/hawser';

test('the hawser command on the node is shown, written, recorded, updated and removed', async () => {
  // A command copied from an older image counts as hawser's own.
  node.write(COMMAND, '#!/bin/sh\n# hawser on a node: of yesterday\n');
  expect((await node.install('--dry-run')).stdout).toContain(`+++ ${COMMAND}`);
  await node.install();
  expect(node.read(COMMAND)).toMatch(/^#!\/bin\/sh\n# hawser on a node:/);
  expect(node.read(RECORD)).toContain(COMMAND);
  expect((await node.install()).stdout).toContain('already up to date');
  expect(await node.run('uninstall')).toMatchObject(done);
  expect(node.tree().filter((line) => line.includes('bin/hawser'))).toEqual([]);
});

test.each<[what: string, make: () => void]>([
  ['a program of its name', () => node.write(COMMAND, '#!/bin/sh\necho mine\n')],
  [
    'a link of its name',
    () => {
      mkdirSync(join(node.root, '/usr/local/bin'), { recursive: true });
      symlinkSync('/bin/sh', join(node.root, COMMAND));
    },
  ],
  ['a read-only /usr', () => node.write('/usr/local', 'a file is where the folder should be')],
])('%s keeps the hawser command from being written, and nothing else', async (_, make) => {
  make();
  const ofUsr = () => node.tree('exact').filter((line) => line.startsWith('/usr/local'));
  const before = ofUsr();
  const notice = expect.stringContaining(`notice: ${COMMAND} is not written: `);
  expect(await node.install()).toMatchObject({ ...done, stdout: notice });
  expect(node.read(RECORD)).not.toContain(COMMAND);
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0 });
  expect(ofUsr()).toEqual(before);
});
