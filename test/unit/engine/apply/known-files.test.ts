import { lstatSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SetFile } from '../../../../src/engine/apply/file-set.ts';
import { createKnownFiles } from '../../../../src/engine/apply/known-files.ts';
import { readIfThere } from '../../../../src/engine/apply/live-file.ts';

const [one, other]: readonly [SetFile, SetFile] = [
  { name: 'certs/shop.pem', content: 'one' },
  { name: 'certs/shop.pem', content: 'two' },
];
const longAgo = new Date(2026, 0, 1);
let [folder, path] = ['', ''];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-known-'));
  path = join(folder, 'shop.pem');
  writeFileSync(path, one.content);
  utimesSync(path, longAgo, longAgo);
});
afterEach(() => rmSync(folder, { recursive: true }));

function counted() {
  const reads: string[] = [];
  const known = createKnownFiles(async (each) => {
    reads.push(each);
    return await readIfThere(each);
  });
  const holds = (file: SetFile) => known.holds(path, lstatSync(path), file);
  return { known, holds, reads };
}

test('a file that was read once is not read again, whatever it is compared with', async () => {
  const { holds, reads } = counted();
  expect([await holds(one), await holds(one), await holds(other)]).toEqual([true, true, false]);
  expect(reads).toHaveLength(1);
});

test('a file that was edited since is read, though it has the same size', async () => {
  const { holds } = counted();
  await holds(one);
  writeFileSync(path, other.content);
  expect([await holds(one), await holds(other)]).toEqual([false, true]);
});

test('a file written just now may change in the same tick, and is read each time', async () => {
  const { holds, reads } = counted();
  const soon = new Date(Date.now() + 60_000);
  utimesSync(path, soon, soon);
  expect([await holds(one), await holds(one)]).toEqual([true, true]);
  expect(reads).toHaveLength(2);
});

test('files that left the set are forgotten', async () => {
  const { known, holds, reads } = counted();
  await holds(one);
  known.keep([]);
  await holds(one);
  expect(reads).toHaveLength(2);
});
