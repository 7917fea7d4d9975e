import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findLiveFile } from '../../../../src/engine/apply/live-file.ts';
import { removeOldSets } from '../../../../src/engine/apply/old-sets.ts';

const HEAD_BYTES = 64 * 1024;

test.each([
  ['in its first line', () => 0],
  ['behind megabytes of other text', () => 3 * 1024 * 1024],
  ['where its first bytes end within the number', (start: string) => HEAD_BYTES - start.length - 1],
])('the set stays that a main file names %s', async (_where, paddingBefore) => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-old-sets-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'haproxy.cfg');
  for (const number of [1, 12, 20, 21, 22]) mkdirSync(join(`${path}.sets`, `${number}`), { recursive: true });
  const start = `${path}.sets/`;
  writeFileSync(path, `${'#'.repeat(paddingBefore(start))}${start}12/maps/http.map\n`);
  await removeOldSets(await findLiveFile(path));
  expect(readdirSync(`${path}.sets`).sort()).toEqual(['12', '20', '21', '22']);
});
