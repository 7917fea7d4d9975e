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

test('whole lines are passed on once, a half one when it is whole', () => {
  const output = createKeepalivedOutput(path, say);
  const keepalived = opened(output);
  expect(output.passOn()).toEqual([]);
  writeSync(keepalived, 'one\ntwo\nthr');
  expect(output.passOn()).toEqual(['one', 'two']);
  writeSync(keepalived, 'ee\n');
  expect(output.passOn()).toEqual(['three']);
  expect(output.passOn()).toEqual([]);
  expect(said).toBe('one\ntwo\nthree\n');
  closeSync(keepalived);
});

test('the next supervisor passes on what is said from then on', () => {
  const keepalived = opened(createKeepalivedOutput(path, say));
  writeSync(keepalived, 'before\n');
  const next = createKeepalivedOutput(path, say);
  writeSync(keepalived, 'after\n');
  expect(next.passOn()).toEqual(['after']);
  closeSync(keepalived);
});

test('months of output take no more memory, and lose no line', () => {
  const output = createKeepalivedOutput(path, say);
  const keepalived = opened(output);
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(1_000)}`);
  const heard = lines.flatMap((line) => {
    writeSync(keepalived, `${line}\n`);
    return output.passOn();
  });
  writeSync(keepalived, 'last\n');
  expect([...heard, ...output.passOn()]).toEqual([...lines, 'last']);
  expect(readFileSync(path, 'utf8').length).toBeLessThan(1_000_000);
  closeSync(keepalived);
});

test('a folder that is missing costs the lines, and nothing else', () => {
  const output = createKeepalivedOutput(join(dir, 'missing', 'keepalived.log'), say);
  expect(output.open()).toBeUndefined();
  expect(output.passOn()).toEqual([]);
});
