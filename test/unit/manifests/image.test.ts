import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** One instruction a line, without comments. */
const instructions = read('Dockerfile')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .join('\n')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '');
/** What the image consists of: everything but the stage that builds. */
const stage = (name: string) => {
  const start = instructions.findIndex((line) => new RegExp(`${name}$`).test(line));
  const rest = instructions.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('FROM '));
  return end === -1 ? rest : rest.slice(0, end);
};
const finalStage = [...stage('AS system'), ...stage('FROM system')];
/** Sources in the build context, by the COPY that takes them. */
const sources = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

it('copies only what is there and what .dockerignore lets through', () => {
  const letThrough = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  expect([...sources].sort()).toEqual(letThrough.sort());
});

it('copies everything that bin/hawser looks for', () => {
  const built = instructions.find((line) => line.includes('cp -R')) ?? '';
  const wanted = read('bin/hawser').match(/\$here\/(?:dist|node_modules\/node-linux)/g) ?? [];
  expect(new Set(wanted)).toEqual(new Set(['$here/node_modules/node-linux', '$here/dist']));
  expect(built).toMatch(/cp "\$node" "\/opt\/hawser\/\$node"/);
  expect(built).toMatch(/cp -R bin dist templates manifests package\.json LICENSE \/opt\/hawser\//);
});

it('starts every stage from one named base and never from latest', () => {
  const from = instructions.filter((line) => line.startsWith('FROM '));
  expect(from).toEqual([
    expect.stringMatching(/^FROM \$\{BASE\} AS system$/),
    expect.stringMatching(/^FROM \$\{BASE\} AS build$/),
    'FROM system',
  ]);
  expect(instructions).toContain('ARG BASE=debian:trixie-slim');
  expect(read('Dockerfile')).not.toMatch(/:latest/);
});

it('has no package manager of Node, no compiler and no download in what the image is made of', () => {
  const text = finalStage.join('\n');
  expect(text).not.toMatch(/npm|npx|yarn|gcc|g\+\+|build-essential|\bmake\b|curl|wget|ADD /);
  expect(text).toMatch(
    /apt-get install -y --no-install-recommends\s+ca-certificates haproxy iproute2 keepalived nftables tini;/,
  );
});

it('runs hawser under an init, and asks the supervisor how it is', () => {
  expect(finalStage).toContain('ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/hawser"]');
  const health = finalStage.find((line) => line.startsWith('HEALTHCHECK')) ?? '';
  expect(health).toMatch(/CMD \["hawser", "haproxy", "status", "--timeout=4s"\]/);
});

it('the layout of the image runs from anywhere, through a link', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-image-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  const node = `node_modules/node-linux-${arch}/bin`;
  mkdirSync(join(dir, 'opt', node), { recursive: true });
  symlinkSync(join(root, node, 'node'), join(dir, 'opt', node, 'node'));
  for (const each of ['bin', 'dist', 'templates'])
    cpSync(join(root, each), join(dir, 'opt', each), { recursive: true });
  symlinkSync('opt/bin/hawser', join(dir, 'hawser'));
  const usage = execFileSync(join(dir, 'hawser'), ['--help'], { encoding: 'utf8', cwd: '/' });
  expect(usage).toContain('haproxy supervise');
});

/** What scripts/image.sh asks a container tool for that calls itself `version`. */
function argumentsFor(version: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-image-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const engine = join(dir, 'engine');
  writeFileSync(
    engine,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version}"; else printf "%s\\n" "$@"; fi\n`,
  );
  chmodSync(engine, 0o755);
  // Given settings are not looked for.
  const given = {
    BASE: 'registry.example/debian:12',
    SOURCE_DATE_EPOCH: '1700000000',
    CONTAINERS_CONF: engine,
  };
  const env = { ...process.env, ...given, ENGINE: engine };
  const { stdout, status } = spawnSync('sh', [join(root, 'scripts/image.sh')], { env, encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout;
}

it('image.sh tags with the version that the manifest asks for, and passes base and time on', () => {
  const asked = argumentsFor('Docker version 27.0.1');
  const { version } = JSON.parse(read('package.json'));
  expect(asked).toContain(`--tag\nhawser:${version}\n.\n`);
  expect(asked).toContain('--build-arg\nBASE=registry.example/debian:12\n');
  expect(asked).toContain('--build-arg\nSOURCE_DATE_EPOCH=1700000000\n');
  expect(asked).not.toContain('--format\ndocker\n');
});

it('image.sh has podman give every file one time, in a format that has health checks', () => {
  const asked = argumentsFor('podman version 4.3.1');
  expect(asked).toContain('--format\ndocker\n--layers\n--timestamp\n1700000000\n');
});
