import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../../../src/engine/supervise/spare-memory.ts', import.meta.url));
/** Garbage that has grown old, which Node alone would keep; prints how much of it is left. */
const program = (calls: string): string => `
  import { spareMemory } from ${JSON.stringify(source)};
  let garbage = Array.from({ length: 200_000 }, (_, at) => ({ at }));
  const before = process.memoryUsage().heapUsed;
  garbage = undefined;
  const release = spareMemory(20);
  ${calls}
  setTimeout(() => console.log(process.memoryUsage().heapUsed / before), 200);
`;

function partLeft(calls: string): number {
  const argv = ['--max-semi-space-size=1', '--input-type=module', '--eval', program(calls)];
  return Number(spawnSync(process.execPath, argv, { encoding: 'utf8' }).stdout);
}

test('a supervisor that rests gives back what a start or a reload took', () => {
  expect(partLeft('release(); release();')).toBeLessThan(0.7);
});

test('without a start or a reload, memory stays as it is', () => {
  expect(partLeft('')).toBeGreaterThan(0.7);
});
