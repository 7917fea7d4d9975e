import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyFile } from '../../../../../src/engine/system/file/copy-file.ts';

let directory: string;
const at = (name: string) => join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hawser-copy-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('copies in place, since a mounted file cannot be renamed over', async () => {
  writeFileSync(at('host'), 'nameserver 10.0.0.1\n');
  writeFileSync(at('ours'), 'nameserver 10.0.0.2\n');
  const { ino } = statSync(at('ours'));
  expect(await copyFile(at('host'), at('ours'))).toEqual({ kind: 'copied' });
  expect(readFileSync(at('ours'), 'utf8')).toBe('nameserver 10.0.0.1\n');
  expect(statSync(at('ours')).ino).toBe(ino);
});

test('leaves equal files, and files whose source is empty for the moment', async () => {
  writeFileSync(at('host'), 'same');
  writeFileSync(at('ours'), 'same');
  expect(await copyFile(at('host'), at('ours'))).toEqual({ kind: 'same' });
  writeFileSync(at('host'), '');
  expect(await copyFile(at('host'), at('ours'))).toEqual({ kind: 'same' });
  expect(readFileSync(at('ours'), 'utf8')).toBe('same');
});

test('says which file it could not read', async () => {
  const outcome = await copyFile(at('missing'), at('ours'));
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining(at('missing')) });
});
