import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';

let node: InstallNode;
const MANIFEST = '/etc/kubernetes/manifests/haproxy.yaml';

beforeEach(async () => {
  node = await createInstallNode();
});

const install = async (...flags: readonly string[]) => await node.run('install', '--yes', ...flags);

interface Spec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly Container[];
}

interface Container {
  readonly name: string;
  readonly securityContext: { readonly capabilities: object };
  readonly livenessProbe: { readonly httpGet: { readonly host?: string; readonly port: number } };
  readonly volumeMounts: readonly { readonly name: string }[];
}

test('a worker gets only the haproxy pod, which serves the node itself', async () => {
  expect(await install('--worker')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(node.tree().filter((line) => !line.endsWith(' 755'))).toEqual([
    '/etc/hawser/config.schema.json 644',
    '/etc/hawser/config.yaml 644',
    '/etc/hawser/installed.json 644',
    `${MANIFEST} 600`,
    '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs 644',
    '/var/log/hawser 1775',
  ]);
  expect(parse(node.read('/etc/hawser/config.yaml'))).toEqual({
    worker: true,
    lbPort: 6443,
    haproxy: { drainTimeout: '5s' },
  });
  const { containers, ...spec }: Spec = parse(node.read(MANIFEST)).spec;
  expect(spec.terminationGracePeriodSeconds).toBe(15);
  expect(containers.map(({ livenessProbe: { httpGet } }) => `${httpGet.host}:${httpGet.port}`)).toEqual([
    '127.0.0.1:9444',
    '127.0.0.1:29446',
  ]);
  for (const { securityContext } of containers)
    expect(securityContext.capabilities).toEqual({ drop: ['ALL'] });
  // The folder of the certificate in the kubelet's kubeconfig.
  expect(containers[1]?.volumeMounts.map(({ name }) => name)).toContain('kubelet-pki');
});

test('the next install keeps the node a worker, on the port in the settings', async () => {
  await install('--worker');
  expect((await install()).stdout).toContain('already up to date');
  node.write('/etc/hawser/config.yaml', node.read('/etc/hawser/config.yaml').replace('6443', '7443'));
  expect(await install('--worker', '--image', 'hawser:2')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(parse(node.read('/etc/hawser/config.yaml'))).toMatchObject({ worker: true, lbPort: 7443 });
});

test('--dry-run shows a worker and writes nothing', async () => {
  const before = node.tree();
  const { stdout, exitCode } = await install('--worker', '--dry-run');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`+ ${MANIFEST} (0600)`);
  expect(stdout).not.toContain('keepalived');
  expect(node.tree()).toEqual(before);
});

test('--print prints the files of a worker', async () => {
  const { stdout } = await install('--worker', '--print');
  expect(stdout).toContain('all files of a worker');
  const { write_files: files } = parse(stdout);
  expect(files.map(({ path }: { readonly path: string }) => path)).not.toContain(
    '/etc/kubernetes/manifests/keepalived.yaml',
  );
});

test('a control-plane node cannot become a worker, nor a worker a control-plane node', async () => {
  await node.install();
  const before = node.tree('exact');
  const refused = await install('--worker');
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('worker with apiVips') });
  expect(node.tree('exact')).toEqual(before);
  node.write('/etc/hawser/config.yaml', 'worker: true\n');
  const left = await install();
  expect(left.stderr).toContain('Cannot install a worker over "/etc/kubernetes/manifests/keepalived.yaml"');
  expect(left.stderr).toContain('hawser uninstall');
  expect(left.stderr).not.toContain('move it out');
});

test('VIP flags are refused on a worker, each by name', async () => {
  const { exitCode, stderr } = await install('--worker', '--api-vip', '10.0.0.100', '--first-node');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--worker with --api-vip');
  expect(stderr).toContain('--worker with --first-node');
});

test('an installed worker is uninstalled without a trace', async () => {
  const before = node.tree();
  await install('--worker');
  // No kubelet has started the pod.
  expect(await node.run('uninstall')).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: expect.stringContaining('hawser is completely removed'),
  });
  expect(node.tree()).toEqual(before);
});

test('doctor and status do not expect what a worker does not have', async () => {
  await install('--worker');
  const doctor = await node.run('doctor', '--json', '--timeout', '10s');
  const { checks }: { readonly checks: readonly { readonly id: string; readonly verdict: string }[] } =
    JSON.parse(doctor.stdout);
  const ids = checks.map(({ id }) => id);
  expect(ids).toContain('haproxy-program');
  for (const id of ['keepalived-program', 'vip-holder', 'vrrp-adverts', 'arp']) expect(ids).not.toContain(id);
  const verdictOf = (id: string) => checks.find((each) => each.id === id)?.verdict;
  expect([verdictOf('nft'), verdictOf('redirect'), verdictOf('peer-ports')]).toEqual([
    'skip',
    'skip',
    'skip',
  ]);
  const settings = `--settings=${node.root}/etc/hawser/config.yaml`;
  const { stdout } = await runCommand([...node.namespace.prefix, hawser, 'status', '--json', settings], {
    timeoutMs: 30_000,
  });
  const { programs } = JSON.parse(stdout).here;
  expect(programs.map(({ name }: { readonly name: string }) => name)).toEqual([
    'haproxy-supervisor',
    'haproxy-monitor',
  ]);
});
