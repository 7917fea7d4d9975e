import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createInstallNode, type InstallNode, makeControlPlane } from '../../../helpers/install-node.ts';
import { addAddress } from '../../../helpers/net-namespace.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let node: InstallNode;
const haproxyManifest = 'etc/kubernetes/manifests/haproxy.yaml';

beforeEach(async () => {
  node = await createInstallNode();
});

/** The pod's container "haproxy" as a plain process: the real supervisor with HAProxy below it. */
async function startPod(port = 9445, flags: readonly string[] = []): Promise<ChildProcess> {
  const at = (name: string) => join(node.root, 'pod', name);
  mkdirSync(at(''), { recursive: true });
  writeFileSync(
    at('haproxy.cfg'),
    `global\n  stats socket ${at('haproxy.sock')} mode 600 level admin expose-fd listeners\ndefaults\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\nlisten l\n  mode tcp\n  bind :${port}\n`,
  );
  // Its own /var/run, like a container, for the control socket.
  const own = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs run /var/run && exec "$@"', 'sh'];
  const [command, ...prefix] = [...node.namespace.prefix, ...own] as const;
  const paths = ['--config', at('haproxy.cfg'), '--stats-socket', at('haproxy.sock')];
  const more = ['--pid-file', at('pid'), '--state-file', at('state'), '--drain-timeout', '1s'];
  const child = spawn(command, [...prefix, hawser, 'haproxy', 'supervise', ...paths, ...more, ...flags], {
    stdio: 'ignore',
  });
  await waitFor('HAProxy to serve', () =>
    node.namespace.run('ss', '-Hltn', `sport = :${port}`).then((text) => text !== ''),
  );
  return child;
}

/** Ends the pod once its manifest is gone, like the kubelet. */
async function actAsKubelet(pod: ChildProcess): Promise<void> {
  await waitFor('the manifest to go', () => !existsSync(join(node.root, haproxyManifest)));
  pod.kill('SIGTERM');
}

test('an uninstall leaves no file, process, VIP or firewall table, and has nothing to do the second time', async () => {
  const before = node.tree();
  await node.install();
  const pod = await startPod();
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
  for (const table of ['inet hawser_api_redirect', 'netdev hawser_segment'])
    await node.namespace.run('nft', `add table ${table}`);
  const rendered = '# hawser renders this file again whenever the list changes\n';
  for (const name of ['haproxy.cfg', 'haproxy.cfg.candidate', 'haproxy.cfg.last-good', 'api-servers.json'])
    node.write(`/etc/haproxy/${name}`, rendered);
  for (const name of ['keepalived.conf', 'vrrp-nodes.json.api.ipv4'])
    node.write(`/etc/hawser-keepalived/${name}`, rendered);
  // Leftovers of a crash are named after the file.
  node.write('/etc/haproxy/.haproxy.cfg.00112233445566ff', '');
  node.write('/etc/hawser-keepalived/.vrrp-steering.json.00112233445566ff', '');
  node.write('/etc/hawser/kubeconfig', 'x');
  node.write('/var/log/hawser/haproxy-monitor.000000000001.jsonl', 'x');
  const [result] = await Promise.all([node.run('uninstall'), actAsKubelet(pod)]);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.namespace.residents()).toEqual([]);
  expect(await node.namespace.run('ip', '-o', 'address', 'show', 'to', '10.0.0.100')).toBe('');
  expect(await node.namespace.run('nft', 'list', 'tables')).toBe('');
  expect(node.tree().filter((path) => !path.startsWith('/pod'))).toEqual(before);
  expect(await node.run('uninstall')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('nothing to do'),
  });
});

test("a folder with the administrator's files is kept, and the output lists what is in it", async () => {
  await node.install();
  node.write('/etc/hawser/patches/haproxy.yaml', 'spec: {}\n');
  const result = await node.run('uninstall');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toContain('/etc/hawser stays: it holds patches\n');
  expect(result.stdout).toMatch(/done: hawser is completely removed\n$/);
});

test('a running instance on the node is neither waited for nor touched', async () => {
  await node.install();
  const pod = await startPod(9545, ['--instance', 'b', '--listen', '127.0.0.1:29461']);
  const result = await node.run('uninstall');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await node.namespace.run('ss', '-Hltn', 'sport = :9545')).not.toBe('');
  pod.kill('SIGKILL');
});

test('hawser uninstall --json prints one document with what it removed and what is left', async () => {
  await node.install();
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
  const manifest = { kind: 'remove', path: `/${haproxyManifest}` };
  const planned = JSON.parse((await node.run('uninstall', '--dry-run', '--json')).stdout);
  expect(planned).toMatchObject({ outcome: 'dry-run', left: [] });
  expect(planned.steps).toContainEqual(manifest);
  const done = JSON.parse((await node.run('uninstall', '--json')).stdout);
  expect(done).toMatchObject({ outcome: 'done', left: [] });
  expect(done.steps).toContainEqual(manifest);
  expect(done.steps).toContainEqual({ kind: 'remove-vip', vip: '10.0.0.100/32', interface: 'eth0' });
  const again = JSON.parse((await node.run('uninstall', '--json')).stdout);
  expect(again).toEqual({ outcome: 'nothing-to-do', steps: [], left: [] });
});

test('pods that do not end are named and keep the VIP, and the command can be repeated', async () => {
  await node.install();
  const pod = await startPod();
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
  const result = await node.run('uninstall', '--timeout', '1s');
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toMatch(new RegExp(`left: haproxy supervise, pid ${pod.pid}: still running`));
  expect(result.stderr).toMatch(/left: haproxy, pid \d+: still running/);
  expect(await node.namespace.run('ip', '-o', 'address', 'show', 'to', '10.0.0.100')).not.toBe('');
  expect(existsSync(join(node.root, haproxyManifest))).toBe(false);
  expect(node.tree()).toContain('/etc/hawser/installed.json 644');
  pod.kill('SIGTERM');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree().filter((path) => path.startsWith('/etc'))).toEqual([]);
});

/** As in a container, where other containers' processes are not visible. */
const runAlone = (...argv: readonly string[]) =>
  runCommand(
    [
      ...node.namespace.prefix,
      'unshare',
      '--pid',
      '--fork',
      '--mount-proc',
      hawser,
      ...argv,
      '--root',
      node.root,
    ],
    { timeoutMs: 60_000 },
  );

test('for a pod that is not visible, uninstall waits until its supervisor closes its control socket, also without a page', async () => {
  await node.install();
  const pod = await startPod(9_999, ['--listen', 'off']);
  const early = await runAlone('uninstall', '--timeout', '1s');
  expect(early.exitCode).toBe(1);
  expect(early.stderr).toContain('left: the supervisor of haproxy, not visible from here: still running');
  pod.kill('SIGTERM');
  expect(await runAlone('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.namespace.residents()).toEqual([]);
});

test('an edited file is kept, a manifest outside the folder that the kubelet reads', async () => {
  makeControlPlane(node, import.meta.filename);
  const before = node.tree();
  await node.install();
  for (const path of [`/${haproxyManifest}`, '/etc/hawser/config.yaml'])
    node.write(path, `${node.read(path)}# edited\n`);
  const result = await node.run('uninstall');
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('was edited, kept as /etc/kubernetes/haproxy.yaml.saved'),
  });
  expect(node.tree().filter((path) => !before.includes(path))).toEqual([
    '/etc/hawser 755',
    '/etc/hawser/config.yaml.saved 644',
    '/etc/kubernetes/haproxy.yaml.saved 600',
  ]);
});

test('--keep-config keeps only the settings and the kubeconfig, and a later uninstall removes these too', async () => {
  await node.install('--ingress-vip', '10.0.0.101', '--cluster-name', 'managed');
  node.write('/etc/hawser/kubeconfig', 'x');
  node.write('/var/log/hawser/haproxy-monitor.000000000001.jsonl', 'x');
  const settings = node.read('/etc/hawser/config.yaml');
  expect(await node.run('uninstall', '--keep-config')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree()).toEqual([
    '/etc 755',
    '/etc/hawser 755',
    '/etc/hawser/config.schema.json 644',
    '/etc/hawser/config.yaml 644',
    '/etc/hawser/kubeconfig 644',
  ]);
  expect(await node.run('install', '--yes')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.read('/etc/hawser/config.yaml')).toBe(settings);
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree()).toEqual(['/etc 755']);
});

test("a distribution's HAProxy configuration is not removed", async () => {
  node.write('/etc/haproxy/haproxy.cfg', 'theirs');
  await node.install();
  await node.run('uninstall');
  expect(node.read('/etc/haproxy/haproxy.cfg')).toBe('theirs');
});

test('a VIP that could not be checked is reported as left over, and the command stays and can be repeated', async () => {
  await node.install();
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
  const programs = join(node.root, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'ip'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const path = `PATH=${programs}:${process.env['PATH']}`;
  const argv = [...node.namespace.prefix, 'env', path, hawser, 'uninstall', '--root', node.root] as const;
  const result = await runCommand(argv, { timeoutMs: 60_000 });
  expect(result.stderr).toContain('left: VIP 10.0.0.100: cannot check for it');
  expect(result.exitCode).toBe(1);
  expect(node.tree()).toContain('/usr/local/bin/hawser 755');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await node.namespace.run('ip', '-o', 'address', 'show', 'to', '10.0.0.100')).toBe('');
  expect(node.tree()).not.toContain('/usr/local/bin/hawser 755');
});

test('settings that have been broken since the install do not prevent an uninstall', async () => {
  await node.install();
  await addAddress(node.namespace, 'eth0', '10.0.0.100/32');
  node.write('/etc/hawser/config.yaml', 'apiVips: [');
  expect(await node.run('uninstall')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await node.namespace.run('ip', '-o', 'address', 'show', 'to', '10.0.0.100')).toBe('');
});

test("broken settings in the command's own /etc do not prevent an uninstall either", async () => {
  await node.install();
  node.write('/broken/hawser/config.yaml', 'apiVips: [');
  const etc = `mount -t overlay -o lowerdir=${join(node.root, 'broken')}:/etc etc /etc && exec "$@"`;
  const argv = ['unshare', '--mount', 'sh', '-c', etc, 'sh', hawser, 'uninstall', '--root', node.root];
  const [command, ...prefix] = node.namespace.prefix;
  const result = await runCommand([command, ...prefix, ...argv], { timeoutMs: 60_000 });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
});
