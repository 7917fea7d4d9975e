import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type CommandResult, runCommand } from '../../src/engine/system/process/run-command.ts';
import { type DoctorReport, doctorReportSchema } from '../../src/operate/doctor/report-lines.ts';
import { startContainerd } from './helpers/containerd.ts';
import { commandBlocks } from './helpers/document-commands.ts';
import { PATIENCE_MS, ready, waitForPods } from './helpers/health.ts';
import { install, takeOut, uninstall, writeFile, writeKubeconfig } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';

/** `hawser` as typed on a node, and what doctor reports there, in every way that the documents show. */
let world: PodWorld;
let machine: Machine;
/** Goes in front of commands typed as on a node with containerd and without podman. */
let withContainerd: string;
const ONLY_IN_CONTAINERD = 'hawser:only-in-containerd';
beforeAll(async () => {
  world = await createPodWorld(1);
  const [only] = world.machines;
  if (only === undefined) throw new Error('Cannot test one node: the cluster is empty');
  machine = only;
  await world.startApi(machine);
  await writeKubeconfig(machine, world.bed);
  await install(machine, world.bed);
  await ready(world, machine);
  // containerd knows images by their full names.
  const names = [inject('builder').tag, ONLY_IN_CONTAINERD].map((name) => `docker.io/library/${name}`);
  withContainerd = `PATH=${await startContainerd(machine, inject('builder').tag, names)}`;
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** As an administrator on the node: its PATH and its container engine. */
async function type(...words: readonly string[]): Promise<CommandResult> {
  const engine = Object.entries(machine.engine.env).map(([name, value]) => `${name}=${value}`);
  const [file, ...before] = machine.prefix;
  return await runCommand([file, ...before, ...engine, ...words], { timeoutMs: PATIENCE_MS });
}

async function typed(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await type('hawser', ...words);
  if (exitCode === 0) return stdout;
  throw new Error(`Cannot type "hawser ${words.join(' ')}": exit code ${exitCode}: ${stdout}${stderr}`);
}

/** For a machine that other tests keep busy. Leaves out what a node of a test cannot have. */
const PATIENT = ['--timeout', '60s'];
const OF_THE_MACHINE = new Set(['keepalived-priority']);

function reportOf({ stdout, stderr }: CommandResult): DoctorReport {
  if (stdout === '') throw new Error(`Cannot read the report: ${stderr}`);
  return doctorReportSchema.parse(JSON.parse(stdout));
}

function troublesOf({ checks }: DoctorReport): readonly string[] {
  return checks
    .filter(({ id, verdict }) => ['warn', 'fail', 'unknown'].includes(verdict) && !OF_THE_MACHINE.has(id))
    .map(({ id, verdict, message }) => `${verdict} ${id}: ${message}`);
}

function verdictOf({ checks }: DoctorReport, id: string): string {
  const found = checks.find((check) => check.id === id);
  return `${found?.verdict}: ${found?.message}`;
}

const inTheImage = (...flags: readonly string[]) => [
  ...['podman', 'run', '--rm', '--net=host', '--cap-add=NET_ADMIN,NET_RAW,SYS_PTRACE'],
  ...['--security-opt=apparmor=unconfined', '--security-opt=label=disable', '-v', '/:/host'],
  ...[inject('builder').tag, 'doctor', '--root', '/host', '--json', ...PATIENT, ...flags],
];

test.each([
  ['as it is typed', () => type('hawser', 'doctor', '--json', ...PATIENT)],
  [
    'as it is typed where containerd runs the image',
    () => type(withContainerd, 'hawser', 'doctor', '--json', ...PATIENT),
  ],
  ['out of the image', () => type(...inTheImage())],
])(
  'doctor %s reports a healthy node as healthy: its settings, kubeconfig, supervisors and pages',
  async (_, run) => {
    const report = reportOf(await run());
    expect(troublesOf(report)).toEqual([]);
    expect(verdictOf(report, 'settings-file')).toContain('ok: /etc/hawser/config.yaml');
    expect(verdictOf(report, 'client-certificate')).toContain('ok: /etc/hawser/kubeconfig: ');
    expect(verdictOf(report, 'credentials')).toMatch(/^ok: /);
    for (const program of ['haproxy', 'keepalived']) {
      expect(verdictOf(report, `${program}-supervisor`)).toMatch(/^ok: /);
      expect(verdictOf(report, `${program}-config`)).toMatch(/^ok: .* is the running configuration/);
    }
    expect(verdictOf(report, 'vip-holder')).toMatch(/^ok: .* of this node$/);
  },
);

test('in a pod, or without the rights it needs, doctor says that it cannot tell', async () => {
  const inPod = await type(
    'podman',
    'exec',
    'keepalived-keepalived-monitor',
    'hawser',
    'doctor',
    '--json',
    ...PATIENT,
  );
  expect(verdictOf(reportOf(inPod), 'haproxy-supervisor')).toMatch(
    /^unknown: the node's files are not visible/,
  );
  expect(inPod.exitCode).toBe(2);
  const bare = await type(
    ...['podman', 'run', '--rm', '--net=host', inject('builder').tag, 'doctor', '--json', ...PATIENT],
  );
  expect(verdictOf(reportOf(bare), 'settings-file')).toMatch(/^unknown: /);
  expect(bare.exitCode).toBe(2);
});

test('the commands of the README extract the command from the image with containerd', async () => {
  const blocks = commandBlocks('README.md', '## Install on a new cluster');
  const block = blocks.find(({ where }) => where.includes('the hawser command'));
  const before = await machine.run('cat', '/usr/local/bin/hawser');
  const script = [
    `IMAGE=docker.io/library/${ONLY_IN_CONTAINERD}`,
    'rm /usr/local/bin/hawser',
    ...(block?.commands ?? []),
  ];
  const { exitCode, stderr } = await type(withContainerd, 'sh', '-euc', script.join('\n'));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(await machine.run('cat', '/usr/local/bin/hawser')).toBe(before);
  expect(await typed('version')).toMatch(/^hawser \d/);
});

test('each command runs where it belongs', async () => {
  expect(JSON.parse(await typed('haproxy', 'status', '--json'))).toMatchObject({ phase: 'serving' });
  expect(JSON.parse(await typed('keepalived', 'status', '--json'))).toMatchObject({ phase: 'running' });
  expect(await typed('haproxy', 'reload')).not.toBe('');
  const { stdout } = await type('hawser', 'status', '--json', '--timeout', '10s');
  expect(JSON.parse(stdout)).toHaveProperty('vips');
  expect(await typed('timeline')).not.toBe('');
  expect(await typed('settings')).toContain('/etc/hawser/config.yaml');
  expect(await typed('version')).toMatch(/^hawser \d/);
  const drained = await type('hawser', 'drain');
  expect(drained.stdout + drained.stderr).toMatch(/serve/);
  expect(drained.exitCode).not.toBe(0);
  expect((await type('hawser', 'install', '--yes')).stdout).toContain('already up to date');
});

test('a file of the node is read if a flag names it', async () => {
  await writeFile(machine, '/var/lib/new.yaml', 'apiVipz: [192.0.2.1]\n');
  const refused = await type('hawser', 'settings', '--settings', '/var/lib/new.yaml');
  expect(`${refused.stdout}${refused.stderr}`).toContain('apiVipz');
  expect(refused.exitCode).toBe(2);
});

test('containerd runs an image that only it has, with the rights that an installation needs', async () => {
  const { exitCode, stdout, stderr } = await type(
    ...[
      withContainerd,
      'hawser',
      'install',
      '--image',
      ONLY_IN_CONTAINERD,
      '--api-vip',
      world.bed.vip,
      '--print',
    ],
  );
  expect(stderr).toBe('');
  expect(stdout).toContain(`image: ${ONLY_IN_CONTAINERD}`);
  expect(exitCode).toBe(0);
  expect((await type(withContainerd, 'hawser', 'install', '--yes')).stdout).toContain('already up to date');
});

test('containerd mounts a file named by a flag, and passes on the exit code', async () => {
  await writeFile(machine, '/var/lib/new.yaml', 'apiVipz: [192.0.2.1]\n');
  const { stdout, stderr, exitCode } = await type(
    ...[withContainerd, 'hawser', 'settings', '--settings', '/var/lib/new.yaml'],
  );
  expect(`${stdout}${stderr}`).toContain('apiVipz');
  expect(exitCode).toBe(2);
});

test('a command in a pod of containerd prints its output and exits with its own code', async () => {
  const ctr = [withContainerd, 'ctr', '-n', 'k8s.io'];
  const label = [
    'io.kubernetes.container.name=keepalived-monitor',
    'io.kubernetes.pod.namespace=kube-system',
  ];
  const image = `docker.io/library/${ONLY_IN_CONTAINERD}`;
  const started = await type(
    ...[...ctr, 'run', '-d', ...label.flatMap((each) => ['--label', each]), image, 'a-pod', 'sleep', '1000'],
  );
  expect(started.stderr).toBe('');
  const { exitCode, stdout, stderr } = await type(withContainerd, 'hawser', 'drain', '--bogus');
  expect(`${stdout}${stderr}`).toContain('--bogus');
  expect(exitCode).toBe(2);
  await type(...ctr, 'tasks', 'rm', '-f', 'a-pod');
});

test('doctor on a broken node names what is broken', async () => {
  await writeFile(machine, '/etc/hawser/config.yaml', 'apiVips: [not-an-address]\n');
  await machine.run('mv', '/etc/hawser/kubeconfig', '/etc/hawser/kubeconfig.away');
  await takeOut(machine, 'haproxy');
  await waitForPods('HAProxy to end', async () => machine.node.running('haproxy').length === 0);
  const { exitCode, ...result } = await type(
    'hawser',
    'doctor',
    '--json',
    '--api-vips',
    world.bed.vip,
    ...PATIENT,
  );
  const report = reportOf({ exitCode, ...result });
  expect(verdictOf(report, 'settings-file')).toMatch(/^fail: .*not-an-address/);
  expect(verdictOf(report, 'credentials')).toMatch(/^fail: \/etc\/hawser\/kubeconfig is missing/);
  expect(verdictOf(report, 'haproxy-supervisor')).toMatch(/^skip: /);
  expect(verdictOf(report, 'keepalived-supervisor')).toMatch(/^ok: /);
  expect(exitCode).toBe(1);
});

test('uninstall removes the command', async () => {
  await uninstall(machine);
  expect((await type('sh', '-c', 'command -v hawser')).stdout).not.toContain('/usr/local/bin');
});
