import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { nameBehind, writeFileAtomically } from '../../../../../src/engine/system/file/atomic-write.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

let dir: string;
let path: string;

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'file');
});

test('the file has the new bytes and exactly the requested mode, whatever the umask', async () => {
  const umask = process.umask(0o077);
  try {
    await writeFileAtomically(path, 'new', { mode: 0o644 });
  } finally {
    process.umask(umask);
  }
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(readdirSync(dir)).toEqual(['file']);
});

test('a reader sees only complete old or complete new files', async () => {
  await writeFileAtomically(path, 'old', { mode: 0o600 });
  const seen: string[] = [];
  const parts = function* () {
    for (const part of ['n', 'e', 'w']) {
      yield Buffer.from(part);
      seen.push(readFileSync(path, 'utf8'));
    }
  };
  await writeFileAtomically(path, parts(), { mode: 0o600 });
  expect(seen).toEqual(['old', 'old', 'old']);
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test('a failed write leaves the old file unchanged and no temporary file', async () => {
  mkdirSync(path);
  writeFileSync(join(path, 'inside'), '');
  await expect(writeFileAtomically(path, 'new', { mode: 0o600 })).rejects.toMatchObject({ code: 'EISDIR' });
  expect(readdirSync(dir)).toEqual(['file']);
  await expect(writeFileAtomically(join(dir, 'none', 'x'), '', { mode: 0o600 })).rejects.toThrow(/ENOENT/);
});

test('a symbolic link is replaced, and its target is unchanged', async () => {
  const target = join(dir, 'target');
  writeFileSync(target, 'old');
  symlinkSync(target, path);
  await writeFileAtomically(path, 'new', { mode: 0o600 });
  expect(readFileSync(target, 'utf8')).toBe('old');
  expect(lstatSync(path).isFile()).toBe(true);
});

test('a name of the maximum length works', async () => {
  const long = join(dir, 'x'.repeat(255));
  await writeFileAtomically(long, 'new', { mode: 0o600 });
  expect(readFileSync(long, 'utf8')).toBe('new');
});

test('a temporary file is recognised by its name, and no other file is', async () => {
  let during: readonly string[] = [];
  const look = function* () {
    during = readdirSync(dir);
    yield Buffer.from('new');
  };
  await writeFileAtomically(path, look(), { mode: 0o644 });
  expect(during.map(nameBehind)).toEqual(['file']);
  expect(
    ['file', '.file', '.file.0123', 'file.0123456789abcdef'].flatMap((name) => nameBehind(name) ?? []),
  ).toEqual([]);
});
