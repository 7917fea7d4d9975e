/**
 * npm run test:again -- N [FILES] [--load LOOPS] [--minutes LIMIT] [--base COMMIT] [--seed SEED]
 *
 * Runs N copies of each test file side by side under busy loops, and prints how many failed and how long they took. Copies
 * contend for cores, ports and files; repeating one file does not. Without FILES, runs the test files that differ from the base
 * and those that import changed files. Runs them in random order until the time is up. Exits with 1 if a copy failed.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const SAMPLE = 4;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    load: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '60' },
    base: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 10_000)) },
  },
});
const [copies = '', ...given] = positionals;
if (!/^[1-9]\d*$/.test(copies)) {
  console.error(`Cannot run tests again "${copies}" times, expected: npm run test:again -- N [FILES]`);
  process.exit(2);
}
const missing = given.filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.error(`Cannot run tests again: no file "${missing.join('", "')}"`);
  process.exit(2);
}
const endsAtMs = Date.now() + Number(values.minutes) * 60_000;

const rooms = process.getuid?.() === 0 ? 'unit|contract|integration' : 'unit';
const isRun = (file: string): boolean => new RegExp(`^test/(${rooms})/.*\\.test\\.ts$`).test(file);
const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !isCopy(name))
  .map((name) => join('test', name));

function isCopy(name: string): boolean {
  return name.endsWith('.again.test.ts');
}

/** The files in test/ that have changed since the base; undefined if there is no base. */
function changed(): readonly string[] | undefined {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const base = values.base ?? git('rev-parse', 'HEAD~1');
    return git('diff', '--name-only', '--diff-filter=d', base, '--', 'test').split('\n');
  } catch {
    return undefined;
  }
}

/** The files and every file in test/ that imports one of them, directly or indirectly. */
function withImporters(files: readonly string[]): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const file of sources)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const target = normalize(join(dirname(file), path));
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  const reached = new Set(files);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return [...reached];
}

/** Shuffles the files; the same seed gives the same order. */
function drawn(files: readonly string[]): readonly string[] {
  let state = Number(values.seed);
  const keyed = files.toSorted().map((file) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return [state, file] as const;
  });
  return keyed.toSorted(([a], [b]) => a - b).map(([, file]) => file);
}

function chosen(): readonly string[] {
  if (given.length > 0) return given;
  const files = changed();
  if (files !== undefined) return drawn(withImporters(files).filter(isRun));
  console.log(`test:again: no commit to compare with: ${SAMPLE} test files of npm test are drawn`);
  return drawn(sources.filter((file) => isRun(file) && !file.startsWith('test/integration/'))).slice(
    0,
    SAMPLE,
  );
}

interface Copy {
  readonly seconds: number;
  readonly failed: readonly string[];
}

/** Undefined if the time was up before they finished. */
function runCopies(file: string): readonly Copy[] | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-again-'));
  const names = Array.from({ length: Number(copies) }, (_, index) =>
    file.replace(/\.test\.ts$/, `.${index + 1}.again.test.ts`),
  );
  try {
    for (const name of names) copyFileSync(file, name);
    const report = join(dir, 'report.json');
    const vitest = ['vitest', 'run', ...names, '--maxWorkers=8', '--reporter=json', `--outputFile=${report}`];
    const hidden = rooms === 'unit' ? vitest : ['sh', 'scripts/hide-installed.sh', ...vitest];
    const [program = '', ...args] = hidden;
    const timeout = Math.max(1, endsAtMs - Date.now());
    spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout, killSignal: 'SIGKILL' });
    return existsSync(report) ? readReport(report) : undefined;
  } finally {
    for (const name of names) rmSync(name, { force: true });
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Report {
  readonly testResults: readonly {
    readonly startTime: number;
    readonly endTime: number;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function readReport(path: string): readonly Copy[] {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  return testResults.map(({ startTime, endTime, status, message, assertionResults }) => {
    const failed = assertionResults
      .filter((each) => each.status === 'failed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.split('\n')[0]}`);
    const whole = status === 'failed' && failed.length === 0 ? [message] : [];
    return { seconds: (endTime - startTime) / 1_000, failed: [...failed, ...whole] };
  });
}

function show(file: string, results: readonly Copy[]): boolean {
  const failures = results.flatMap(({ failed }) => failed);
  const bad = results.filter(({ failed }) => failed.length > 0).length;
  const times = results.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const median = times[times.length >> 1] ?? 0;
  const max = times.at(-1) ?? 0;
  console.log(
    `${bad} of ${results.length} failed, median ${median.toFixed(1)} s, max ${max.toFixed(1)} s: ${file}`,
  );
  for (const [text, all] of Map.groupBy(failures, (each) => each)) console.log(`  ${all.length} × ${text}`);
  return bad === 0;
}

for (const name of readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(isCopy))
  rmSync(join('test', name));
const files = chosen();
const loops: readonly ChildProcess[] = Array.from({ length: Number(values.load) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
process.on('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
console.log(
  `test:again: ${copies} copies of ${files.length} files under ${loops.length} busy loops, seed ${values.seed}`,
);
const outcomes = files.map((file) => {
  const results = Date.now() < endsAtMs ? runCopies(file) : undefined;
  return results === undefined ? 'left out' : show(file, results) ? 'passed' : 'failed';
});
const leftOut = files.filter((_, index) => outcomes[index] === 'left out');
if (leftOut.length > 0) console.log(`left out after ${values.minutes} minutes: ${leftOut.join(' ')}`);
// The loops would keep this process alive. They are killed when it exits.
process.exit(outcomes.includes('failed') ? 1 : 0);
