import { closeSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createKeepalivedOutput } from '../../../src/keepalived/output.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let dir: string;
let path: string;
let said: string;
const say = (text: string): void => {
  said += text;
};
beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'keepalived.log');
  said = '';
});
function opened(output: ReturnType<typeof createKeepalivedOutput>): number {
  const fd = output.open();
  if (fd === undefined) throw new Error('Cannot open the output');
  return fd;
}

test('complete lines are forwarded once, and a partial one when it is complete', () => {
  const output = createKeepalivedOutput(path, say);
  const keepalived = opened(output);
  expect(output.forward()).toEqual([]);
  writeSync(keepalived, 'one\ntwo\nthr');
  expect(output.forward()).toEqual(['one', 'two']);
  writeSync(keepalived, 'ee\n');
  expect(output.forward()).toEqual(['three']);
  expect(output.forward()).toEqual([]);
  expect(said).toBe('one\ntwo\nthree\n');
  closeSync(keepalived);
});

test('the next supervisor forwards only later output', () => {
  const keepalived = opened(createKeepalivedOutput(path, say));
  writeSync(keepalived, 'before\n');
  const next = createKeepalivedOutput(path, say);
  writeSync(keepalived, 'after\n');
  expect(next.forward()).toEqual(['after']);
  closeSync(keepalived);
});

test('the file does not grow without bound, and no line is lost', () => {
  const output = createKeepalivedOutput(path, say);
  const keepalived = opened(output);
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(1_000)}`);
  const heard = lines.flatMap((line) => {
    writeSync(keepalived, `${line}\n`);
    return output.forward();
  });
  writeSync(keepalived, 'last\n');
  expect([...heard, ...output.forward()]).toEqual([...lines, 'last']);
  expect(readFileSync(path, 'utf8').length).toBeLessThan(1_000_000);
  closeSync(keepalived);
});

test('without the folder only the output is lost', () => {
  const output = createKeepalivedOutput(join(dir, 'missing', 'keepalived.log'), say);
  expect(output.open()).toBeUndefined();
  expect(output.forward()).toEqual([]);
});
