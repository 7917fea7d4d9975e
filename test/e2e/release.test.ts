import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { writeOciArchive } from '../../scripts/release/oci-archive.ts';
import { hawserVersion } from '../../src/engine/system/version.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { createContainerEngine } from './helpers/container-engine.ts';
import { startContainerd } from './helpers/containerd.ts';
import { allWell, PATIENCE_MS, ready, statesOf, waitForPods } from './helpers/health.ts';
import { writeSettings } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';
import { startWalk, type Walk } from './helpers/walk.ts';

/** A node that gets the files of a release and nothing of this checkout, in the order of the README. */
const root = join(import.meta.dirname, '../..');
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const version = hawserVersion();
const archive = `hawser-${version}-${arch}.oci.tar`;
/** Both containerd and podman store the archive's image under this name. */
const IMAGE = `docker.io/library/hawser:${version}`;
let out: string;
let world: PodWorld;
let machine: Machine;
let walk: Walk;

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'hawser-release-'));
  const { dir, settings } = inject('builder');
  const { env } = createContainerEngine({ dir, settings });
  const base = process.env['BASE'] ?? 'debian:trixie-slim';
  const flags = ['--draft', '--arch', arch, '--base', base, '--snapshot', 'none', '--out', out];
  execFileSync(process.execPath, [join(root, 'scripts/release.ts'), version, ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  world = await createPodWorld(1);
  const [only] = world.machines;
  if (only === undefined) throw new Error('Cannot test a release: the cluster is empty');
  machine = only;
  world.bed.setMembers([]);
  await writeSettings(machine);
  const documents = [['README.md', '## Install on a new cluster']] as const;
  walk = startWalk(world, documents, { VIP: world.bed.vip, IMAGE });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(out, { recursive: true, force: true });
});

test('the checksums of a release match its files', () => {
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' });
  expect(
    checked
      .trim()
      .split('\n')
      .map((line) => line.replace(/: OK$/, '')),
  ).toEqual([
    'THIRD_PARTY_NOTICES',
    archive,
    archive.replace('.oci.tar', '.spdx.json'),
    ...['hawser-proxy.yaml', 'hawser-router.yaml', 'rbac-endpoints.yaml', 'rbac-kubelet.yaml', 'rbac.yaml'],
    'route-crd.yaml',
  ]);
});

test('an image always gives the same archive', () => {
  const { dir, settings } = inject('builder');
  Object.assign(process.env, createContainerEngine({ dir, settings }).env);
  const again = join(out, 'again.tar');
  writeOciArchive({ tag: `hawser:${version}-${arch}`, name: IMAGE, file: again });
  const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const sums = [again, join(out, archive)].map(sumOf);
  rmSync(again);
  expect(sums[0]).toBe(sums[1]);
});

test('the notices of a release list every package of the image, each with its text', () => {
  const notices = readFileSync(join(out, 'THIRD_PARTY_NOTICES'), 'utf8');
  for (const name of ['haproxy', 'keepalived', 'nftables', 'libc6', 'pino', 'node-linux-'])
    expect(new RegExp(`^${name}\\S* \\d\\S* \\(.*\\)$`, 'm').test(notices), name).toBe(true);
  const debian = notices.slice(notices.indexOf('Debian packages in the image'));
  expect(debian.length).toBeGreaterThan(100_000);
  expect(debian.includes('No copyright file comes with it.')).toBe(false);
});

test('a node installed only from the artefacts serves the API at the VIP, and hawser status reports no problem', async () => {
  const [importing = '', ...more] = walk.commands(
    'on each control-plane node, with the image as a file (with a registry: ctr -n k8s.io images pull "$IMAGE")',
  );
  expect([importing, more]).toEqual([`ctr -n k8s.io images import hawser-${version}-amd64.oci.tar`, []]);
  await walk.type(machine, `cd '${out}' && ${importing.replace('amd64', arch)}`);
  await walk.typeAll(
    machine,
    walk.commands('on each control-plane node: the hawser command, a shell script (docs/install.md)'),
  );
  await walk.typeAll(machine, walk.commands('on the first node'));
  await ready(world, machine);
  await allWell(world.kubelet(machine));
  await waitForPods('hawser status to exit with 0', async () =>
    walk.type(machine, 'hawser status --timeout 10s').then(
      (text) => text.includes(world.bed.vip),
      () => false,
    ),
  );
  const url = `https://${world.bed.vip}:6443/readyz`;
  const atVip = () => world.bed.client.run('curl', '-sSkf', '--max-time', '5', url);
  await waitFor('the VIP to answer', async () => (await atVip()) === 'ok', PATIENCE_MS);
  expect([...(await statesOf(machine)).values()].map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
  expect(await walk.type(machine, 'hawser version')).toContain(version);
});

test('containerd imports the archive under the name that the manifests resolve to', async () => {
  const path = await startContainerd(machine, IMAGE, []);
  const ctr = ['env', `PATH=${path}`, 'ctr', '-n', 'k8s.io', 'images'];
  await machine.run(...ctr, 'rm', IMAGE);
  await machine.run(...ctr, 'import', join(out, archive));
  expect((await machine.run(...ctr, 'ls', '-q')).split('\n')).toContain(IMAGE);
});
