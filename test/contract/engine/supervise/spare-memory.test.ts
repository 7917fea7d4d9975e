import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';

const source = fileURLToPath(
  new URL('../../../../src/engine/supervise/supervise-program.ts', import.meta.url),
);
/** Makes old garbage and runs functions once. Node alone would keep both. Prints how much of each is left. */
const program = (restMs: number, calls: string, nowMs: string): string => `
  import { getHeapCodeStatistics } from 'node:v8';
  import { spareMemory } from ${JSON.stringify(source)};
  const code = () => getHeapCodeStatistics().bytecode_and_metadata_size;
  const functions = Array.from({ length: 2_000 }, (_, at) => new Function('a', 'return a' + ' + a * 3'.repeat(50) + '+' + at));
  for (const each of functions) each(1);
  let garbage = Array.from({ length: 200_000 }, (_, at) => ({ at }));
  const before = { heap: process.memoryUsage().heapUsed, code: code() };
  garbage = undefined;
  const noteWork = spareMemory(${restMs}, ${nowMs});
  ${calls}
  setTimeout(() => {
    const left = { heap: process.memoryUsage().heapUsed / before.heap, code: code() / before.code };
    console.log(JSON.stringify({ ...left, functions: functions.length }));
  }, 300);
`;
const leftSchema = z.object({ heap: z.number(), code: z.number() });

function partsLeft(restMs: number, calls: string, nowMs = 'undefined'): z.infer<typeof leftSchema> {
  const argv = ['--max-semi-space-size=1', '--input-type=module', '--eval', program(restMs, calls, nowMs)];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return leftSchema.parse(JSON.parse(stdout));
}

test('a supervisor at rest frees the memory and the code of a start or reload', () => {
  const { heap, code } = partsLeft(20, 'noteWork(); noteWork();');
  expect(heap).toBeLessThan(0.7);
  expect(code).toBeLessThan(0.7);
});

test('the garbage of an idle supervisor does not pile up, and its code stays', () => {
  const { heap, code } = partsLeft(20, '');
  expect(heap).toBeLessThan(0.7);
  expect(code).toBeGreaterThan(0.7);
});

test('a supervisor that keeps reloading collects garbage and keeps its code', () => {
  // The clock stands still, so the last reload is never old enough, however slow the machine is.
  const { heap, code } = partsLeft(20, 'noteWork();', '() => 0');
  expect(heap).toBeLessThan(0.7);
  expect(code).toBeGreaterThan(0.7);
});

test('a supervisor that has not rested yet collects nothing', () => {
  expect(partsLeft(60_000, 'noteWork();').heap).toBeGreaterThan(0.7);
});
