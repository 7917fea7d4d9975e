import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createBundleCopy } from '../../../src/operate/support-bundle.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let dir: string;
let from: string;
let to: string;
beforeEach(() => {
  dir = testFolder();
  [from, to] = [join(dir, 'from'), join(dir, 'to')];
  mkdirSync(join(from, 'below'), { recursive: true });
});
test('secrets are removed from everything that is written or copied', () => {
  const copy = createBundleCopy();
  writeFileSync(join(from, 'below/a.jsonl'), '{"token":"hunter2"}\n');
  expect(copy.folder(from, to)).toEqual([]);
  expect(copy.file(join(from, 'below/a.jsonl'), join(to, 'file'), 'log')).toEqual([]);
  copy.write('password: hunter2', join(to, 'report'));
  const held = ['below/a.jsonl', 'file', 'report'].map((name) => readFileSync(join(to, name), 'utf8'));
  expect(held).toEqual(['{"token":"***"}\n', '{"token":"***"}\n', 'password: ***']);
});

test('a link or a FIFO in the journal folder is not copied and does not block the copy', () => {
  writeFileSync(join(dir, 'victim'), 'of root');
  symlinkSync(join(dir, 'victim'), join(from, 'link'));
  symlinkSync('/etc', join(from, 'folder'));
  execFileSync('mkfifo', [join(from, 'fifo')]);
  writeFileSync(join(from, 'a'), 'a');
  const copy = createBundleCopy();
  expect(copy.folder(from, to)).toEqual([]);
  expect(['link', 'folder', 'fifo', 'a'].filter((name) => existsSync(join(to, name)))).toEqual(['a']);
  expect(() => copy.file(join(from, 'link'), join(to, 'link'), 'journal')).toThrow('ELOOP');
  expect(() => copy.file(join(from, 'fifo'), join(to, 'fifo'), 'log')).toThrow('it is not a regular file');
});

test('only the end of a long file is copied, and excess files are not copied', () => {
  const copy = createBundleCopy({ file: 10, all: 13 });
  writeFileSync(join(from, 'a'), 'one\ntwo\nthree\nfour\n');
  writeFileSync(join(from, 'b'), 'six');
  const names = ['a', 'b', 'b'];
  const missing = names.flatMap((name, index) => copy.file(join(from, name), join(to, `${index}`), 'log'));
  expect(missing).toEqual([
    `${join(from, 'a')}: only the last 10 of 19 bytes are included`,
    `${join(from, 'b')}: omitted, because the bundle has 13 bytes of files`,
  ]);
  expect(readFileSync(join(to, '0'), 'utf8')).toBe('four\n');
  const config = createBundleCopy({ file: 10, all: 100 }).file(
    join(from, 'a'),
    join(to, 'c'),
    'configuration',
  );
  expect(config).toEqual([`${join(from, 'a')}: omitted, because it has 19 bytes`]);
  expect(existsSync(join(to, 'c'))).toBe(false);
});
