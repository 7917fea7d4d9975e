import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('the README is short: at most 120 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('the changelog follows Keep a Changelog, with at most 15 lines per part', () => {
  const [, ...versions] = read('CHANGELOG.md').split(/^## /m);
  expect(versions.length).toBeGreaterThan(0);
  for (const version of versions) {
    expect(version).toMatch(/^\[(?:Unreleased\]|\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?\] - \d{4}-\d\d-\d\d)\n/);
    const kinds = [...version.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind);
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toEqual(
      expect.arrayContaining(kinds),
    );
    for (const part of version.split(/^####? /m).slice(1))
      expect(part.trim().split('\n').length, part.split('\n')[0]).toBeLessThanOrEqual(17);
  }
});

test.each([
  ['docs', 'docs/README.md'],
  ['docs/internals/decisions', 'docs/internals/decisions/README.md'],
])('each page of %s is linked from its index', (folder, index) => {
  const pages = readdirSync(join(root, folder)).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((name) => !read(index).includes(`(${name})`))).toEqual([]);
});

const decisions = readdirSync(join(root, 'docs/internals/decisions')).filter((name) => /^\d{4}-/.test(name));

test.each(decisions)('decision %s has context, decision and consequences, in at most 250 words', (name) => {
  const page = read(`docs/internals/decisions/${name}`);
  expect(page.match(/^\*\*.+?\.\*\*/gm)).toEqual(['**Context.**', '**Decision.**', '**Consequences.**']);
  expect(page.trim().split(/\s+/).length).toBeLessThanOrEqual(250);
});

const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });
const sources = globSync('{src,test,scripts,bin}/**/*.ts', { cwd: root }).map((path) => `/${path}`);

test('every source file mentioned in a page exists', () => {
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`([A-Za-z0-9/._-]+\.ts)`/g)].map(([, path = '']) => ({ page, path })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !sources.some((source) => source.endsWith(`/${path}`)))).toEqual([]);
});
