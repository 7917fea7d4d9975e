import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cannotBuild, writeManifests } from '../../../scripts/release/artefacts.ts';
import { nextCommands } from '../../../scripts/release/next-commands.ts';
import { hawserVersion } from '../../../src/engine/system/version.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const root = join(import.meta.dirname, '../../..');
const version = hawserVersion();
const other = process.arch === 'arm64' ? 'amd64' : 'arm64';

function temporary(): string {
  const dir = testFolder();
  return dir;
}

/** A separate repository with everything that a release reads. */
function repository() {
  const dir = temporary();
  const files = [
    'package.json',
    'package-lock.json',
    'README.md',
    'CHANGELOG.md',
    'manifests',
    'docs',
    'scripts',
  ];
  for (const each of files) cpSync(join(root, each), join(dir, each), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, '.gitignore'), 'dist\nnode_modules\n');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
  git('init', '--quiet');
  git('config', 'user.name', 'release');
  git('config', 'user.email', 'release@example.com');
  const commit = () => {
    git('add', '.');
    git('commit', '--quiet', '--message', 'all');
  };
  commit();
  const release = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(dir, 'scripts/release.ts'), ...args], { encoding: 'utf8' });
  return { dir, git, commit, release };
}

test('a release refuses a dirty working tree', () => {
  const { dir, release } = repository();
  appendFileSync(join(dir, 'README.md'), 'x\n');
  const { status, stderr } = release(version, '--arch', other);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('the working tree is not clean:\n M README.md'),
  ]);
});

test('a release names the places where the version differs', () => {
  const { dir, commit, release } = repository();
  const path = join(dir, 'manifests/keepalived.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`hawser:${version}`, 'hawser:9.9.9'));
  commit();
  const { status, stderr } = release('10.0.0', '--arch', other);
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /manifests\/keepalived\.yaml:\d+: 9\.9\.9\n.*manifests\/keepalived\.yaml:\d+: 9\.9\.9\n$/,
  );
});

test.skipIf(cannotBuild(other) === undefined)(
  'a release commits the new version, says which image it left out and why, and exits with 1',
  () => {
    const { dir, git, release } = repository();
    const { status, stdout, stderr } = release('10.0.0', '--arch', other);
    expect(stderr).toContain(
      `Left out: hawser-10.0.0-${other}.oci.tar and its SBOM: this machine does not run`,
    );
    expect(status).toBe(1);
    expect(stdout).toContain('git tag --sign v10.0.0');
    expect(git('log', '-1', '--format=%s')).toBe('release: 10.0.0\n');
    expect(git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(dir, 'CHANGELOG.md'), 'utf8')).toMatch(/^## \[10\.0\.0\] - \d{4}-\d\d-\d\d$/m);
    expect(readFileSync(join(dir, 'dist/release/hawser-router.yaml'), 'utf8')).toContain(
      'image: hawser:10.0.0',
    );
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: join(dir, 'dist/release') });
  },
);

test('the manifests of a release are complete files for kubectl apply, with the namespace first', () => {
  const out = temporary();
  writeManifests({ root, out });
  expect(readdirSync(out).toSorted()).toEqual([
    ...['hawser-proxy.yaml', 'hawser-router.yaml', 'rbac-endpoints.yaml', 'rbac-kubelet.yaml', 'rbac.yaml'],
    'route-crd.yaml',
  ]);
  const kinds = (name: string) =>
    parseAllDocuments(readFileSync(join(out, name), 'utf8')).map((document) => document.toJS().kind);
  expect(kinds('hawser-router.yaml')[0]).toBe('Namespace');
  const both = ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy'];
  expect(kinds('hawser-router.yaml')).toEqual(expect.arrayContaining(both));
  expect(kinds('hawser-proxy.yaml')).toEqual(expect.arrayContaining(both));
});

test('the printed commands push one image for all architectures that were built', () => {
  const text = nextCommands('1.0.0', [
    'hawser-1.0.0-amd64.oci.tar',
    'hawser-1.0.0-amd64.spdx.json',
    'rbac.yaml',
  ]);
  expect(text.match(/podman manifest add .*/g)).toEqual([
    'podman manifest add hawser:1.0.0-all oci-archive:hawser-1.0.0-amd64.oci.tar',
  ]);
});
