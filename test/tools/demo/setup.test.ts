import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const setup = fileURLToPath(new URL('../../../scripts/setup.sh', import.meta.url));

/** A checkout with nothing in it but what setup.sh looks at, and programs that only write down that they were called. */
function checkout() {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-setup-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const each of ['bin', 'scripts', 'src', 'node_modules', 'dist']) mkdirSync(join(dir, each));
  cpSync(setup, join(dir, 'scripts/setup.sh'));
  for (const file of ['scripts/build.ts', 'package-lock.json', 'src/main.ts'])
    writeFileSync(join(dir, file), file);
  cpSync(join(dir, 'package-lock.json'), join(dir, 'node_modules/.hawser-lock'));
  writeFileSync(join(dir, 'dist/hawser.mjs'), '');
  // The clock of a file system ticks slowly: what is written next must be newer.
  const past = new Date(Date.now() - 60_000);
  for (const file of ['src', 'src/main.ts', 'scripts/build.ts', 'package-lock.json', 'dist/hawser.mjs'])
    utimesSync(join(dir, file), past, past);
  const program = (name: string, script: string) => {
    writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, 'bin', name), 0o755);
  };
  const wrote = (name: string) => existsSync(join(dir, `${name}-was-called`));
  const note = (name: string) => `: >"${dir}/${name}-was-called"`;
  program('node', `[ "$1" = -p ] && { echo 24; exit; }; ${note('node')}`);
  program('npm', note('npm'));
  program('apt-get', note('apt-get'));
  const needed = [
    'haproxy',
    'keepalived',
    'nft',
    'ip',
    'openssl',
    'curl',
    'socat',
    'mount',
    'unshare',
    'chrt',
  ];
  for (const name of needed) program(name, '');
  program('id', 'echo 0');
  for (const name of ['uname', 'dirname', 'cmp', 'cp', 'find', 'sh']) link(dir, name);
  const run = () => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', [join(dir, 'scripts/setup.sh')], {
      env: { PATH: join(dir, 'bin') },
      encoding: 'utf8',
    });
    return { status, text: `${stdout}${stderr}` };
  };
  return { dir, note, program, run, wrote };
}

function link(dir: string, name: string): void {
  symlinkSync(`/usr/bin/${name}`, join(dir, 'bin', name));
}

it('does nothing on a machine that is set up', () => {
  const { run, wrote } = checkout();
  expect(run()).toEqual({ status: 0, text: '' });
  expect(['npm', 'node', 'apt-get'].filter(wrote)).toEqual([]);
});

it('installs and builds once after a change of the lock file, and announces it', () => {
  const { dir, program, run, wrote } = checkout();
  writeFileSync(join(dir, 'package-lock.json'), 'newer');
  program('npm', `echo 'npm runs'; : >"${dir}/npm-was-called"`);
  expect(run()).toEqual({
    status: 0,
    text: expect.stringMatching(/^setup: installing the npm packages .*\nnpm runs\nsetup: building dist\n/),
  });
  expect(['npm', 'node'].filter(wrote)).toEqual(['npm', 'node']);
  rmSync(join(dir, 'npm-was-called'));
  expect(run().status).toBe(0);
  expect(wrote('npm')).toBe(false);
});

it('says that npm ci failed, and tries again the next time', () => {
  const { dir, note, program, run, wrote } = checkout();
  writeFileSync(join(dir, 'package-lock.json'), 'newer');
  program('npm', 'echo "npm error network" >&2; exit 1');
  expect(run()).toEqual({
    status: 2,
    text: expect.stringMatching(/^npm error network\nCannot .* npm ci failed/m),
  });
  program('npm', note('npm'));
  expect(run().status).toBe(0);
  expect(wrote('npm')).toBe(true);
});

it('says what to type where it is not root', () => {
  const { program, run } = checkout();
  program('id', 'echo 1000');
  expect(run()).toEqual({
    status: 2,
    text: expect.stringMatching(/not root.*sudo npm run demo, or sudo npm test/),
  });
});

it('refuses another system and an old Node', () => {
  const { dir, program, run } = checkout();
  program('node', 'case $1 in -p) echo 18 ;; *) echo v18.1.0 ;; esac');
  expect(run()).toEqual({
    status: 2,
    text: expect.stringContaining('node is v18.1.0, expected v20 or newer'),
  });
  rmSync(join(dir, 'bin/uname'));
  program('uname', 'echo Darwin');
  expect(run()).toEqual({ status: 2, text: expect.stringContaining('this is Darwin, expected Linux') });
});

it('says that node or npm is missing', () => {
  const { dir, run } = checkout();
  rmSync(join(dir, 'bin/npm'));
  expect(run()).toEqual({ status: 2, text: expect.stringContaining('npm was not found') });
  rmSync(join(dir, 'bin/node'));
  expect(run()).toEqual({ status: 2, text: expect.stringContaining('node was not found') });
});

it('installs a missing package as root, and says what to type as another user', () => {
  const { dir, program, run, wrote } = checkout();
  rmSync(join(dir, 'bin/socat'));
  expect(run()).toEqual({ status: 0, text: 'setup: installing Debian packages: socat\n' });
  expect(wrote('apt-get')).toBe(true);
  program('id', 'echo 1000');
  expect(run()).toEqual({
    status: 2,
    text: expect.stringMatching(/type: sudo apt-get update && sudo apt-get install .* socat$/m),
  });
  program('id', 'echo 0');
  program('apt-get', 'exit 100');
  expect(run()).toEqual({ status: 2, text: expect.stringContaining('apt-get update failed') });
});

it('builds again after a source was changed or removed', () => {
  const { dir, run, wrote } = checkout();
  rmSync(join(dir, 'src/main.ts'));
  expect(run().status).toBe(0);
  expect(wrote('node')).toBe(true);
});
