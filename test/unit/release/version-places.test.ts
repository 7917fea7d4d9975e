import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cutChangelog, setVersion, versionPlaces } from '../../../scripts/release/version-places.ts';
import { hawserVersion } from '../../../src/engine/system/version.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const root = join(import.meta.dirname, '../../..');

test('every place with the version agrees with package.json', () => {
  const places = versionPlaces(root);
  expect(places.length).toBeGreaterThan(40);
  expect(places.filter(({ version }) => version !== hawserVersion())).toEqual([]);
});

test('after a version change, the old version is gone from manifests, packages and documents', () => {
  const copy = testFolder();
  const named = ['package.json', 'package-lock.json', 'README.md', 'manifests', 'docs'];
  for (const each of named) cpSync(join(root, each), join(copy, each), { recursive: true });
  setVersion(copy, '77.0.0-rc.1');
  expect(new Set(versionPlaces(copy).map(({ version }) => version))).toEqual(new Set(['77.0.0-rc.1']));
  const lock = JSON.parse(readFileSync(join(copy, 'package-lock.json'), 'utf8'));
  expect([lock.version, lock.packages[''].version]).toEqual(['77.0.0-rc.1', '77.0.0-rc.1']);
  // Only as hawser's version: libraries, addresses and the release history contain such numbers too.
  const old = new RegExp(
    `(?:hawser[:-]|newTag: |kubernetes\\.io/version: )${hawserVersion().replaceAll('.', '\\.')}\\b`,
  );
  const files = globSync(['README.md', 'docs/*.md', 'manifests/**/*.yaml'], { cwd: copy });
  expect(files.filter((path) => old.test(readFileSync(join(copy, path), 'utf8')))).toEqual([]);
});

test('the changelog gets one dated heading for the unreleased changes', () => {
  const text = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A.\n';
  const cut = '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n\n### Added\n\n- A.\n';
  expect(cutChangelog(text, '1.2.3', '2026-01-02')).toBe(cut);
  expect(cutChangelog(cut, '1.2.3', '2026-02-02')).toBe(cut);
  expect(cutChangelog('# Changelog\n', '1.2.3', '2026-01-02')).toBeUndefined();
});
