import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../../../src/engine/supervise/spare-memory.ts', import.meta.url));
/** Garbage that has grown old, which Node alone would keep; prints how much of it is left. */
const program = (restMs: number, calls: string): string => `
  import { spareMemory } from ${JSON.stringify(source)};
  let garbage = Array.from({ length: 200_000 }, (_, at) => ({ at }));
  const before = process.memoryUsage().heapUsed;
  garbage = undefined;
  const release = spareMemory(${restMs});
  ${calls}
  setTimeout(() => console.log(process.memoryUsage().heapUsed / before), 200);
`;

function partLeft(restMs: number, calls: string): number {
  const argv = ['--max-semi-space-size=1', '--input-type=module', '--eval', program(restMs, calls)];
  return Number(spawnSync(process.execPath, argv, { encoding: 'utf8' }).stdout);
}

test('a supervisor that rests gives back what a start or a reload took', () => {
  expect(partLeft(20, 'release(); release();')).toBeLessThan(0.7);
});

test('what little a supervisor at rest leaves behind does not pile up', () => {
  expect(partLeft(20, '')).toBeLessThan(0.7);
});

test('a supervisor that has not rested yet collects nothing', () => {
  expect(partLeft(60_000, 'release();')).toBeGreaterThan(0.7);
});
