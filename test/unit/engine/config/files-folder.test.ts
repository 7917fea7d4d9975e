import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnnamed } from '../../../../src/engine/config/files-folder.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const digest = '0123456789abcdef';
const minutes = (count: number) => count * 60_000;

test('only a hawser file that no set has used for an hour is removed', async () => {
  const folder = testFolder();
  const named = `certs/a.${digest}.pem`;
  const old = `certs/b.${digest}.pem`;
  const half = `certs/.c.${digest}`;
  mkdirSync(join(folder, 'certs'));
  for (const name of [named, old, half, 'certs/by-hand.pem']) writeFileSync(join(folder, name), '');
  const unnamed = { since: new Map<string, number>(), nextScanMs: 0 };
  const removedAt = async (nowMs: number, names: readonly string[]) =>
    (await removeUnnamed(folder, new Set(names), unnamed, nowMs)).toSorted();
  expect(await removedAt(0, [named])).toEqual([]);
  expect(await removedAt(minutes(59), [named])).toEqual([]);
  expect(await removedAt(minutes(61), [named])).toEqual([]);
  expect(await removedAt(minutes(70), [named])).toEqual([half, old].toSorted());
  expect(readdirSync(join(folder, 'certs')).toSorted()).toEqual([`a.${digest}.pem`, 'by-hand.pem']);
});
