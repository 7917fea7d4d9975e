import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readOptions } from '../../bench/reload/options.ts';
import type { Scenario } from '../../bench/reload/scenario.ts';

const scenarios = ['steady', 'burst', 'idle'].map(
  (name): Scenario => ({ name, about: '', targets: {}, run: async () => ({}) }),
);

test('without options everything is measured, at full size', () => {
  const options = readOptions([], scenarios);
  expect(options.scenarios).toEqual(scenarios);
  expect(options.subjects).toEqual(['hawser', 'shell']);
  expect(options.quick).toBe(false);
});

test('the chosen scenarios keep their order', () => {
  const options = readOptions(['--only', 'idle', '--only', 'steady', '--subject', 'shell'], scenarios);
  expect(options.scenarios.map(({ name }) => name)).toEqual(['steady', 'idle']);
  expect(options.subjects).toEqual(['shell']);
});

test('a scenario that does not exist is refused with the names that do', () => {
  expect(() => readOptions(['--only', 'stedy'], scenarios)).toThrow(
    'Cannot measure scenario "stedy": expected one of steady, burst, idle',
  );
});

test.each(['reload', 'starvation'])('bench:%s ends with 2 at an option that it does not know', (bench) => {
  const main = fileURLToPath(new URL(`../../bench/${bench}/main.ts`, import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, '--nonsense'], { encoding: 'utf8' });
  expect(stderr).toContain('--nonsense');
  expect(status).toBe(2);
});
