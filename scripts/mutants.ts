/**
 * node scripts/mutants.ts [--count 40] [--seed SEED] [--only src/vip]
 *
 * Breaks one line of code at a time in a copy of the checkout and runs the nearest unit tests that load it. If they all pass,
 * the mutant has survived: nothing in `unit` covers that line. Prints a line for each mutant, and the survivors again at the end.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: ['src/engine', 'src/haproxy/supervise', 'src/vip'] },
  },
});
const root = join(import.meta.dirname, '..');
const MOST_TESTS = 8;
const MOST_STEPS = 3;

/** The changed line for each kind of mutation; undefined if it does not apply. */
const mutations: readonly (readonly [kind: string, change: (line: string) => string | undefined])[] = [
  ['comparison', swapping([' < ', ' <= '], [' > ', ' >= '], [' === ', ' !== '])],
  ['condition', (line) => replaced(line, /\bif \((.+)\) (.*)$/, 'if (!($1)) $2')],
  ['logic', swapping([' && ', ' || '])],
  ['off by one', swapping([' + 1', ' - 1'])],
  ['constant', swapping(['true', 'false'])],
  ['statement', (line) => (/^\s+(?:await )?[\w.]+\([^=]*\);$/.test(line) ? '' : undefined)],
];

function swapping(...pairs: readonly (readonly [string, string])[]) {
  return (line: string): string | undefined => {
    for (const [one, other] of pairs.flatMap(([a, b]): [string, string][] => [
      [a, b],
      [b, a],
    ]))
      if (line.includes(one)) return line.replace(one, other);
    return undefined;
  };
}

function replaced(line: string, pattern: RegExp, by: string): string | undefined {
  return pattern.test(line) ? line.replace(pattern, by) : undefined;
}

interface Mutant {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly kind: string;
  readonly text: string;
}

function mutantsOf(file: string): readonly Mutant[] {
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      // Comments, imports and types are not behaviour.
      if (
        /^\s*(\/\/|\/?\*|import |export \{|type |interface |readonly )|^\s*\S+: (readonly )?\w+;$/.test(line)
      )
        return [];
      return mutations.flatMap(([kind, change]) => {
        const text = change(line);
        return text === undefined || text === line ? [] : { file, line: index + 1, kind, text };
      });
    });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function importersByFile(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of [...filesOf('src'), ...filesOf('test/unit'), ...filesOf('test/helpers')])
    for (const [, path = ''] of readFileSync(join(root, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const target = normalize(join(dirname(file), path));
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  return importers;
}

/** The unit tests that load a file, nearest first. */
function testsOf(file: string, importers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  let reached = [file];
  const seen = new Set(reached);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    reached = reached.flatMap((each) => importers.get(each) ?? []).filter((each) => !seen.has(each));
    for (const each of reached) seen.add(each);
  }
  return [...seen].filter((each) => each.endsWith('.test.ts')).slice(0, MOST_TESTS);
}

function draw(count: number): readonly Mutant[] {
  const all = [...new Set(values.only.flatMap(filesOf))].toSorted().flatMap(mutantsOf);
  let state = Number(values.seed);
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return Array.from({ length: Math.min(count, all.length) }, () =>
    all.splice(Math.floor(next() * all.length), 1),
  ).flat();
}

const copy = mkdtempSync(join(tmpdir(), 'hawser-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
for (const name of readdirSync(root).filter((each) => !['.git', 'node_modules'].includes(each)))
  cpSync(join(root, name), join(copy, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

type Fate = 'killed' | 'survived' | 'no test';

function fateOf({ file, line, text }: Mutant, tests: readonly string[]): Fate {
  if (tests.length === 0) return 'no test';
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    original
      .split('\n')
      .with(line - 1, text)
      .join('\n'),
  );
  // Newer than the mutant, so that the bundle is not rebuilt; unit tests do not run it.
  utimesSync(join(copy, 'dist/hawser.mjs'), new Date(), new Date(Date.now() + 3_600_000));
  const { status } = spawnSync(
    'vitest',
    ['run', '--project', 'unit', '--bail', '1', '--testTimeout', '30000', ...tests],
    {
      cwd: copy,
      stdio: 'ignore',
      timeout: 180_000,
      killSignal: 'SIGKILL',
    },
  );
  writeFileSync(path, original);
  return status === 0 ? 'survived' : 'killed';
}

const importers = importersByFile();
const fates = draw(Number(values.count)).map((mutant) => {
  const tests = testsOf(mutant.file, importers);
  const fate = fateOf(mutant, tests);
  const shown = `${fate.padEnd(8)} ${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.text.trim() || '(removed)'}`;
  console.log(shown);
  return { fate, shown };
});
const counted = (fate: Fate) => fates.filter((each) => each.fate === fate).length;
console.log(
  `\n${counted('killed')} killed, ${counted('survived')} survived, ${counted('no test')} without a unit test, seed ${values.seed}`,
);
for (const { fate, shown } of fates) if (fate === 'survived') console.log(shown);
