import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const versions = z.record(z.string(), z.string());
const manifest = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});
const locked = z.object({
  version: z.string(),
  license: z.optional(z.string()),
  integrity: z.optional(z.string()),
  dev: z.optional(z.boolean()),
});
const lock = z.object({ packages: z.record(z.string(), locked) });

/** The packages of the bundle and of Node, without the project itself. */
const shipped = Object.entries(lock.parse(JSON.parse(read('package-lock.json'))).packages).filter(
  ([path, { dev }]) => path !== '' && dev !== true,
);

test('every dependency has one exact version, and no package runs an install script', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest.parse(
    JSON.parse(read('package.json')),
  );
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  expect(read('scripts/image.sh')).toContain('npm ci --ignore-scripts');
});

test('every package that the bundle may contain has a checksum and a license that does not require its source', () => {
  expect(shipped.length).toBeGreaterThan(50);
  const known = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'PSF-2.0', 'Unlicense'];
  const others = shipped.filter(([, { license, integrity }]) => !known.includes(license ?? '') || !integrity);
  expect(others.map(([path]) => path)).toEqual([]);
});
