import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { replaceFile } from '../../../../../src/engine/system/file/replace-file.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

let dir: string;
let path: string;
let foreign: string;

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'file');
  foreign = join(dir, 'foreign');
  writeFileSync(foreign, 'precious');
});

test.each(['file', 'file.new'])(
  'a symbolic link at "%s" is replaced, and its target is unchanged',
  (link) => {
    symlinkSync(foreign, join(dir, link));
    replaceFile(path, 'new', 0o600);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(foreign, 'utf8')).toBe('precious');
    expect(readdirSync(dir).sort()).toEqual(['file', 'foreign']);
  },
);

test('leftovers of an interrupted write do not block the next one', () => {
  writeFileSync(`${path}.new`, 'half of a');
  replaceFile(path, 'new', 0o644);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(dir).sort()).toEqual(['file', 'foreign']);
});

test('a file that cannot be staged leaves the old one unchanged', () => {
  writeFileSync(path, 'old');
  expect(() => replaceFile(join(dir, 'none', 'file'), 'new', 0o644)).toThrow(/ENOENT/);
  expect(readFileSync(path, 'utf8')).toBe('old');
});

test('a failed write leaves no other file', () => {
  mkdirSync(path);
  expect(() => replaceFile(path, 'new', 0o600)).toThrow(/EISDIR|ENOTDIR/);
  expect(readdirSync(dir).sort()).toEqual(['file', 'foreign']);
});
