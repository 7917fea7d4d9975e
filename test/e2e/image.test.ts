import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { type ContainerEngine, createContainerEngine } from './helpers/container-engine.ts';
import { buildImage } from './helpers/global-setup.ts';

const { dir, settings, shipped: tag } = inject('builder');
const onBookworm = process.env['BASE']?.includes('bookworm') === true;
const debianArch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const checkout = fileURLToPath(new URL('../..', import.meta.url));
let engine: ContainerEngine;
/** Every file and link in the image. */
let files: readonly string[];
/** Those that no Debian package owns. */
let unowned: readonly string[];

const run = (...argv: readonly string[]) => {
  const [entrypoint = '', ...args] = argv;
  const closed = ['--read-only', '--network', 'none', '--cap-drop', 'ALL'];
  return engine.podman('run', '--rm', ...closed, '--entrypoint', entrypoint, tag, ...args);
};
const lines = (text: string) => text.split('\n').filter((line) => line !== '');

beforeAll(async () => {
  engine = createContainerEngine({ dir, settings });
  // Not inside a container: podman mounts over some of the image's folders.
  const mounted = (await engine.podman('image', 'mount', tag)).trim();
  const list = (script: string) =>
    lines(execFileSync('sh', ['-c', script], { cwd: mounted, encoding: 'utf8', maxBuffer: 10_000_000 }));
  files = list("find . '(' -type f -o -type l ')' -printf '/%P\\n'");
  // Packages list files below /usr under the name that the links in / hide.
  const owned = list('cat var/lib/dpkg/info/*.list').flatMap((path) => [path, `/usr${path}`]);
  await engine.podman('image', 'unmount', tag);
  const packaged = new Set(owned);
  unowned = files.filter((path) => !packaged.has(path));
});

/** Names of the files in folders for programs. */
const programs = () =>
  new Set(
    files.flatMap((path) => /^\/(?:usr\/|opt\/.*\/)?(?:local\/)?s?bin\/([^/]+)$/.exec(path)?.[1] ?? []),
  );

test("the image contains hawser's bundle, its templates and its Node", () => {
  const own = unowned.filter((path) => path.startsWith('/opt/hawser/') || path.startsWith('/usr/local/bin/'));
  const code =
    /^\/opt\/hawser\/dist\/(?:(?:haproxy|keepalived)-(?:supervise|monitor)\/)?[a-z]+(?:-[a-zA-Z0-9]+)*\.mjs$/;
  const named = own.filter((path) => !code.test(path));
  const node = `/opt/hawser/node_modules/node-linux-${process.arch}`;
  const copied = ['manifests', 'templates'].flatMap((folder) =>
    globSync(`${folder}/**/*.*`, { cwd: checkout }).map((path) => `/opt/hawser/${path}`),
  );
  expect(copied).toContain('/opt/hawser/manifests/haproxy.yaml');
  const expected = [
    ...copied,
    '/opt/hawser/LICENSE',
    '/opt/hawser/bin/hawser',
    '/opt/hawser/bin/hawser-on-node',
    '/opt/hawser/dist/page/icon.svg',
    '/opt/hawser/dist/page/page.css',
    '/opt/hawser/dist/page/page.js',
    '/opt/hawser/dist/revision',
    `${node}/LICENSE`,
    `${node}/bin/node`,
    '/opt/hawser/package.json',
    '/opt/hawser/THIRD_PARTY_NOTICES',
    '/opt/hawser/sbom.spdx.json',
    '/usr/local/bin/hawser',
  ];
  expect(named.sort()).toEqual(expected.sort());
  for (const folder of ['', 'haproxy-supervise/', 'keepalived-monitor/'])
    expect(own).toContain(`/opt/hawser/dist/${folder}hawser.mjs`);
});

test('every other file without a package is left by the installation of packages', () => {
  const left = unowned.filter((path) => !/^\/(?:opt|usr\/local\/bin)\//.test(path));
  const known = [
    /^\/etc\//,
    /^\/(?:usr\/s?bin|usr\/lib|usr\/local\/man|bin|sbin|lib|lib32|lib64|libx32)\b/,
    /^\/root\/\.(?:bashrc|profile)$/,
    /^\/var\/(?:lib\/(?:apt|dpkg|pam|systemd|ucf)|cache\/debconf)\//,
    /^\/var\/(?:lib\/shells\.state|spool\/mail|run|lock)$/,
  ];
  expect(left.filter((path) => !known.some((form) => form.test(path)))).toEqual([]);
});

test.each([
  ['compiler or linker', /^(?:.*-)?(?:gcc|g\+\+|cc|c\+\+|cpp|clang|tcc|ld|as|go|rustc|make)(?:-[0-9.]+)?$/],
  ['package manager of Node', /^(?:npm|npx|yarn|pnpm|corepack)$/],
  ['interpreter but sh, bash, perl-base and Node', /^(?:python[0-9.]*|ruby|php|lua[0-9.]*|tclsh|gawk)$/],
  ['downloader or remote shell', /^(?:curl|wget|git|ssh|scp|nc|socat|ftp|telnet)$/],
])('the image has no %s', (_, forbidden) => {
  // A list that lacks the known programs would find nothing.
  expect([...programs()]).toEqual(
    expect.arrayContaining(['node', 'haproxy', 'keepalived', 'nft', 'ip', 'tini', 'sh']),
  );
  expect([...programs()].filter((name) => forbidden.test(name))).toEqual([]);
});

test.each([
  ['shell history', /_history$/],
  ['log', /^\/var\/log\//],
  ['package list or cache', /^\/var\/(?:lib\/apt\/lists|cache\/(?:apt|ldconfig))\//],
  ['copy of an older file', /^\/(?:etc|var\/lib\/dpkg)\/.*(?:-old|-)$/],
  ['header or static library', /^\/usr\/(?:local\/)?include\/|\.a$/],
  ['private key or kubeconfig', /\.key$|kubeconfig/],
  ['configuration that a package brought', /^\/etc\/(?:haproxy\/haproxy\.cfg|keepalived\/keepalived\.conf)$/],
  ['source, test or temporary file of hawser', /\.ts$|\/test\/|^\/(?:tmp|var\/tmp|build)\//],
])('the image has no %s', (_, forbidden) => {
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((path) => forbidden.test(path))).toEqual([]);
});

test('every program of the pods starts with a read-only root, no network and no capabilities', async () => {
  expect(await run('hawser', '--help')).toContain('haproxy supervise');
  expect(await run('haproxy', '-v')).toMatch(onBookworm ? /^HAProxy version 2\.6/ : /^HAProxy version 3\.0/);
  expect(await run('nft', '--version')).toMatch(/^nftables/);
  expect(await run('ip', '-Version')).toMatch(/^ip utility/);
  // It prints this on stderr.
  expect(await run('sh', '-c', 'keepalived --version 2>&1')).toMatch(
    onBookworm ? /^Keepalived v2\.2/ : /^Keepalived v2\.3/,
  );
});

test('HAProxy and keepalived in the image are those of their packages', async () => {
  const differing = lines(await run('sh', '-c', 'dpkg --verify haproxy keepalived || true'));
  // Left out of the image: documentation, and configurations that are not ours.
  expect(differing.filter((line) => !line.startsWith('missing'))).toEqual([]);
});

const sbomSchema = z.object({
  spdxVersion: z.literal('SPDX-2.3'),
  packages: z.array(z.object({ name: z.string(), versionInfo: z.string(), SPDXID: z.string() })),
  relationships: z.array(z.object({ relationshipType: z.string(), relatedSpdxElement: z.string() })),
});

test('the SBOM of the image lists every package in it, and is published next to it', async () => {
  const text = await run('cat', '/opt/hawser/sbom.spdx.json');
  const { packages, relationships } = sbomSchema.parse(JSON.parse(text));
  const named = new Set(packages.map(({ name, versionInfo }) => `${name} ${versionInfo}`));
  // "libc6:amd64	2.41-12"
  const shown = await run('dpkg-query', '--show');
  const installed = lines(shown.replaceAll(/^([^:\t\n]+)(?::\w+)?\t/gm, '$1 '));
  expect(installed.length).toBeGreaterThan(80);
  expect(installed.filter((each) => !named.has(each))).toEqual([]);
  expect(named).toContain(`node-linux-${process.arch} ${process.version.slice(1)}`);
  const contained = relationships.filter(({ relationshipType }) => relationshipType === 'CONTAINS');
  expect(contained).toHaveLength(packages.length - 1);
  const beside = fileURLToPath(new URL(`../../dist/sbom-${debianArch}.spdx.json`, import.meta.url));
  expect(readFileSync(beside, 'utf8')).toBe(text);
});

test('the image is smaller than 240 MB', async () => {
  const size = await engine.podman('image', 'inspect', '--format', '{{.Size}}', tag);
  expect(Number(size)).toBeLessThan(240_000_000);
});

const configSchema = z.object({
  Entrypoint: z.array(z.string()),
  Cmd: z.array(z.string()),
  Labels: z.record(z.string(), z.string()),
});
const healthSchema = z.object({ Test: z.array(z.string()) /** In nanoseconds. */, StartPeriod: z.number() });

test('the image starts hawser under an init, has a health check, and names its commit', async () => {
  const inspect = async (field: string) =>
    JSON.parse(await engine.podman('image', 'inspect', '--format', `{{json ${field}}}`, tag));
  const config = configSchema.parse(await inspect('.Config'));
  expect([...config.Entrypoint, ...config.Cmd].join(' ')).toBe(
    '/usr/bin/tini -- /usr/local/bin/hawser haproxy supervise',
  );
  expect(config.Labels['org.opencontainers.image.revision']).toMatch(/^[0-9a-f]{40}$|^unknown$/);
  expect(config.Labels['org.opencontainers.image.source']).toMatch(/./);
  const health = healthSchema.parse(await inspect('.HealthCheck'));
  expect(health.Test).toEqual(['CMD', 'hawser', 'haproxy', 'status', '--timeout=4s']);
  expect(health.StartPeriod).toBe(50_000_000_000);
});

test('a build without a cache and with another tool gives the same layers', async () => {
  const layers = async (name: string) =>
    await engine.podman('image', 'inspect', '--format', '{{range .RootFS.Layers}}{{println .}}{{end}}', name);
  const printed = buildImage(engine, 'buildah', 'hawser:again', { flags: ['--no-cache'] });
  expect(lines(await layers('hawser:again'))).toHaveLength(3);
  expect(await layers('hawser:again')).toBe(await layers(tag));
  // The build ends by printing what a node has to pull.
  expect(printed).toContain((await layers(tag)).trim());
});
