/**
 * `npm run measures [-- --json]`: prints the project's sizes and their targets, and each room's lines of src and test and words of docs.
 * Changes nothing and exits with 0; the hard limits are in test/architecture.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const src = join(import.meta.dirname, '../src');

interface SourceFile {
  /** Relative to src. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Imported files of src, including type imports. */
  readonly imports: readonly string[];
}

interface Measure {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
  /** Description of the counted items, if useful. */
  readonly which?: readonly string[];
}

function readSource(): readonly SourceFile[] {
  const entries = readdirSync(src, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
  return found.map((entry) => {
    const full = join(entry.parentPath, entry.name);
    const text = readFileSync(full, 'utf8');
    const specifiers = [...text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)'(\.[^']+)'/gm)];
    return {
      path: relative(src, full),
      text,
      lines: text.trimEnd().split('\n').length,
      imports: specifiers.map(([, each = '']) => relative(src, join(dirname(full), each))),
    };
  });
}

/** Files that mention one of these types: the files a reader has to open to follow it. */
function naming(files: readonly SourceFile[], nouns: readonly string[]): readonly string[] {
  const pattern = new RegExp(`\\b(?:${nouns.join('|')})\\b`);
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

/** The file's folder; a `product.ts` is its own place, as in test/architecture.test.ts. */
function placeOf(path: string): string {
  return /^[^/]+\/product\.ts$/.test(path) ? path : dirname(path);
}

/** Import cycles between folders, each listed once. */
function circles(files: readonly SourceFile[]): readonly string[] {
  const targets = new Map<string, Set<string>>();
  for (const { path, imports } of files)
    for (const target of imports) {
      const from = placeOf(path);
      const to = placeOf(target);
      if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to));
    }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(targets.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  const groups = new Set<string>();
  const folders = [...targets.keys()].toSorted();
  for (const folder of folders) {
    const group = folders.filter((each) => reaches(folder, each) && reaches(each, folder));
    if (group.length > 0) groups.add(group.join(', '));
  }
  return [...groups];
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function measure(files: readonly SourceFile[]): readonly Measure[] {
  const lengths = files.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const total = lengths.reduce((sum, lines) => sum + lines, 0);
  const long = files.filter(({ lines }) => lines > 280).map(({ path }) => path);
  const commands = files.filter(({ path, lines }) => path.startsWith('commands/') && lines > 60);
  const address = naming(files, ['ApiServer', 'ServerCandidate', 'LoadBalancerModel', 'LoadBalancerInput']);
  const verdict = naming(files, ['TrackHealth', 'HealthVerdict', 'HealthInputs']);
  const round = circles(files);
  return [
    { name: 'lines of src', value: total, goal: 50_000 },
    { name: 'lines of a file, median', value: quantile(lengths, 0.5), goal: 80 },
    { name: 'lines of a file, 90th percentile', value: quantile(lengths, 0.9), goal: 180 },
    { name: 'files over 280 lines', value: long.length, goal: 0, which: long },
    {
      name: 'command files over 60 lines',
      value: commands.length,
      goal: 0,
      which: commands.map(({ path, lines }) => `${path} (${lines})`),
    },
    { name: "files that name an API server's address", value: address.length, goal: 20, which: address },
    { name: 'files that name a health verdict', value: verdict.length, goal: 10, which: verdict },
    { name: 'circles of folders', value: round.length, goal: 0, which: round },
  ];
}

function lineOf({ name, value, goal, which = [] }: Measure): string {
  const row = `${name.padEnd(42)} ${String(value).padStart(6)}   goal ${String(goal).padStart(6)}   ${value <= goal ? 'met' : 'not met'}`;
  return value <= goal ? row : [row, ...which.map((each) => `    ${each}`)].join('\n');
}

const root = join(import.meta.dirname, '..');

/** Total size of the files below a folder by room: the first folder, or the first two in `engine`, `unit` and `integration`. */
function sizesIn(
  folder: string,
  endings: RegExp,
  sizeOf: (text: string) => number,
): Readonly<Record<string, number>> {
  const below = join(root, folder);
  const files = readdirSync(below, { recursive: true, withFileTypes: true });
  const sizes = new Map<string, number>();
  for (const entry of files.filter((each) => each.isFile() && endings.test(each.name))) {
    const path = relative(below, join(entry.parentPath, entry.name));
    const [first = '', second, third] = path.split('/');
    const isSplit = ['engine', 'unit', 'integration'].includes(first) && third !== undefined;
    const room = isSplit ? `${first}/${second}` : second === undefined ? '.' : first;
    sizes.set(room, (sizes.get(room) ?? 0) + sizeOf(readFileSync(join(below, path), 'utf8')));
  }
  return Object.fromEntries([...sizes].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const linesOf = (text: string): number => text.trimEnd().split('\n').length;
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

const rooms = {
  'lines of src': sizesIn('src', /\.ts$/, linesOf),
  'lines of test': sizesIn('test', /\.(?:ts|sh)$/, linesOf),
  'words of docs': sizesIn('docs', /\.md$/, wordsOf),
};

function tableOf(name: string, sizes: Readonly<Record<string, number>>): string {
  const sum = Object.values(sizes).reduce((total, each) => total + each, 0);
  const rows = [...Object.entries(sizes), ['all', sum] as const];
  return [`${name}:`, ...rows.map(([room, size]) => `  ${room.padEnd(28)} ${String(size).padStart(7)}`)].join(
    '\n',
  );
}

const measures = measure(readSource());
const tables = Object.entries(rooms).map(([name, sizes]) => tableOf(name, sizes));
const text = process.argv.includes('--json')
  ? JSON.stringify({ measures, rooms }, undefined, 2)
  : [...measures.map(lineOf), '', tables.join('\n\n')].join('\n');
process.stdout.write(`${text}\n`);
