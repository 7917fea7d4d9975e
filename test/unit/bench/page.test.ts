import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { boots } from '../../bench/boot/boots.ts';
import { renderPage } from '../../bench/page/page.ts';
import { figureAt, readResults } from '../../bench/page/results.ts';
import { sections } from '../../bench/page/sections.ts';
import { formatNumber } from '../../bench/reload/table.ts';

const root = join(import.meta.dirname, '../../..');
const fixture = join(root, 'test/fixtures/bench');
const golden = join(root, 'test/golden/performance');
const docs = join(root, 'docs');

test('the page of a folder of results, with its charts, is the golden one', () => {
  const files = renderPage(readResults(fixture));
  for (const [name, text] of Object.entries(files)) {
    const path = join(golden, name);
    if (process.env['UPDATE_GOLDENS'] === '1') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(readFileSync(path, 'utf8'));
  }
  expect(Object.keys(files)).toContain('performance/failover.svg');
});

test('the pages of figures and their charts are written from docs/performance/', () => {
  const results = join(docs, 'performance');
  const files = renderPage(existsSync(results) ? readResults(results) : []);
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(docs, name), 'utf8')).toBe(text);
  const charts = readdirSync(results).filter((name) => name.endsWith('.svg'));
  expect(charts.filter((name) => files[`performance/${name}`] === undefined)).toEqual([]);
});

/** Every number in a value, and what the page makes of kilobytes. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value, value / 1_024];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}

test.each([
  [fixture, 20],
  [join(docs, 'performance'), 0],
] as const)('every figure of a table is in the results of %s', (folder, least) => {
  const results = readResults(folder);
  const lists = results.flatMap(({ content }) => numbersIn(content));
  // The median of a list is not in it where the list has an even count.
  const medians = sections.flatMap(({ rows }) =>
    rows.flatMap(({ cells, scale = 1 }) =>
      Object.values(cells)
        .flatMap((cell) => numbersIn(figureAt(results, cell)))
        .map((figure) => figure * scale),
    ),
  );
  const known = new Set([...lists, ...medians].map(formatNumber));
  const pages = Object.entries(renderPage(results)).flatMap(([name, text]) =>
    name.endsWith('.md') ? text : [],
  );
  const cells = pages
    .flatMap((page) => page.slice(page.indexOf('\n## ')).split('\n'))
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --- '))
    .flatMap((line) => line.split(' | ').slice(1))
    .filter((cell) => /^[\d.]+( \(.*n=\d+\))?( \|)?$/.test(cell));
  const unknown = cells
    .flatMap((cell) => cell.match(/\d+(\.\d+)?/g) ?? [])
    .filter((each) => !known.has(each));
  expect(unknown).toEqual([]);
  expect(cells.length).toBeGreaterThanOrEqual(least);
});

test('what was not measured is "not run", and its goal neither met nor missed', () => {
  const page = renderPage([])['performance.md'] ?? '';
  expect(page).toContain('| uncompressed, MB | not run | ≤ 240 | not run |');
  expect(page).not.toMatch(/\| (met|\*\*not met\*\*) \|/);
  expect(page).not.toContain('.svg');
});

test("the newest of a bench's files counts, and older ones fill its gaps", () => {
  const results = readResults(fixture);
  expect(figureAt(results, 'failover#faults/node-death/hawser/metrics/failureWindowMs')).toMatchObject({
    max: 1_100,
  });
  expect(figureAt(results, 'failover#faults/node-death/hawser/metrics/outageMs')).toMatchObject({ max: 440 });
  expect(figureAt(results, 'kube#results/projection, pages of 500/*/listMs')).toMatchObject({
    median: 925.6,
  });
  expect(figureAt(results, 'failover#faults/no-such-fault')).toBe(undefined);
});

test('the page says in words which figures of another are better, and by how much', () => {
  const page = renderPage(readResults(fixture))['performance.md'] ?? '';
  expect(page).toContain('- streaming: the shell daemon 1609, hawser 1510 MB/s.');
  expect(page).toContain('the shell daemon 2.13, hawser 15.9 MB. A shell needs less than Node.');
  expect(page).toContain('| streaming, MB/s | 1510 (1491–1533, n=3) |');
  expect(page).toMatch(/\| streaming, MB\/s \|.*\| ≤ 3 % worse \| \*\*not met\*\* \|/);
});

test("every power cut of the page is one of bench:boot's defaults", () => {
  const rows = sections.find(({ title }) => title === 'Power cut')?.rows ?? [];
  const shown = rows.flatMap(({ cells }) => /#boots\/([^/]+)\//.exec(cells['holderMs'] ?? '')?.[1] ?? []);
  expect(shown).toEqual(expect.arrayContaining(['kept', 'kept-staggered', 'first']));
  expect(shown).toHaveLength(rows.length);
  expect(boots.map(({ name }) => name)).toEqual(expect.arrayContaining(shown));
});
