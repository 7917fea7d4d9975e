import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mainParts, SET_FOLDER, setOfPieces, sha256Of } from '../../../../src/engine/apply/file-set.ts';
import { findLiveFile } from '../../../../src/engine/apply/live-file.ts';
import {
  BACK_MS,
  bytesOf,
  type PlacedSet,
  readMainFile,
  stampAt,
} from '../../../../src/engine/apply/main-file.ts';
import { writeFileAtomically } from '../../../../src/engine/system/file/atomic-write.ts';

const rendered = setOfPieces(
  [`maps ${SET_FOLDER}/maps\n`, '\nbackend ä\n', `\nbackend ${'b'.repeat(300_000)}\n`, '\nbackend c\n'],
  { mode: 0o600, others: [{ name: 'maps/a', content: '' }] },
);
const folder = '/conf/haproxy.cfg.sets/7';
const final = rendered.text.replaceAll(SET_FOLDER, folder);
let [dir, path] = ['', ''];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-main-'));
  path = join(dir, 'haproxy.cfg');
});
afterEach(() => rmSync(dir, { recursive: true }));

async function place(): Promise<PlacedSet> {
  const timeMs = Date.now() - BACK_MS;
  await writeFileAtomically(path, mainParts(rendered, folder), { mode: 0o600, timeMs });
  return { sha256: sha256Of(final), folder, rendered, stamp: await stampAt(path, timeMs) };
}
const read = async (placed: PlacedSet) => await readMainFile(await findLiveFile(path), placed);

test('the parts of a main file are its bytes, with the folder of its set', async () => {
  expect(bytesOf(rendered, folder).toString('utf8')).toBe(final);
  expect(bytesOf({ text: rendered.text, mode: 0o600 }, folder).toString('utf8')).toBe(final);
});

test('a file that nobody has touched is what was put there', async () => {
  const placed = await place();
  const other = { ...placed, sha256: 'kept' };
  expect(await read(other)).toMatchObject({ sha256: 'kept', folder, rendered, isOwn: true });
  expect((await read(placed))?.bytes().toString('utf8')).toBe(final);
});

test('a file that is edited at once is read, though it has the same size', async () => {
  const placed = await place();
  const edited = final.replace('backend c', 'backend d');
  writeFileSync(path, edited);
  expect(await read(placed)).toMatchObject({ sha256: sha256Of(edited), rendered: undefined });
});

test('a file that another program put there at once is not taken for ours', async () => {
  const placed = await place();
  expect(placed.stamp).toBeDefined();
  rmSync(path);
  writeFileSync(path, final);
  expect(await stampAt(path, Date.now() - BACK_MS)).toBeUndefined();
  expect(await read(placed)).toMatchObject({ sha256: placed.sha256, rendered });
});
