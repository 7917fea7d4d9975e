/**
 * node scripts/count-repeats.ts LIST HISTORY
 *
 * Adds the tests that a run repeated (LIST, one per line; HAWSER_REPEATS) to the history of the last ten runs, and prints in how many of
 * them each was repeated. Exits with 1 if one was repeated in a third run: that is not chance, but a test or a program to fix.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const RUNS = 10;
const MOST = 2;

type History = readonly (readonly string[])[];

/** For each name in the newest run: in how many of the last runs it was repeated. */
export function countRepeats(history: History): ReadonlyMap<string, number> {
  const runs = history.slice(-RUNS);
  const newest = [...new Set(runs.at(-1))];
  return new Map(newest.map((name) => [name, runs.filter((run) => run.includes(name)).length]));
}

function main([list = '', path = '']: readonly string[]): number {
  const repeated = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
  const earlier: History = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
  const history = [...earlier, repeated].slice(-RUNS);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(history)}\n`);
  renameSync(`${path}.new`, path);
  const counts = [...countRepeats(history)];
  for (const [name, count] of counts) console.log(`repeated in ${count} of ${history.length} runs: ${name}`);
  return counts.some(([, count]) => count > MOST) ? 1 : 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
