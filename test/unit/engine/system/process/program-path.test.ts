import { expect, test } from 'vitest';
import { programIndex, wholeProgram } from '../../../../../src/engine/system/process/program-path.ts';

test.each([
  ['node --lite-mode /opt/hawser/dist/hawser.mjs haproxy supervise', 2],
  ['node /opt/hawser/dist/haproxy-supervise/hawser.mjs haproxy supervise', 1],
  ['node src/main.ts haproxy supervise', -1],
  ['node /work/src/main.ts haproxy supervise', 1],
  ['node /opt/dist/other.mjs /opt/dist/a/b/hawser.mjs', -1],
])('in "%s" the program is word %i', (line, index) => {
  expect(programIndex(line.split(' '))).toBe(index);
});

test.each([
  ['/opt/hawser/dist/haproxy-supervise/hawser.mjs', '/opt/hawser/dist/hawser.mjs'],
  ['/opt/hawser/dist/hawser.mjs', '/opt/hawser/dist/hawser.mjs'],
  ['/work/src/main.ts', '/work/src/main.ts'],
])('the full program for %s is %s', (program, whole) => {
  expect(wholeProgram(program)).toBe(whole);
});
