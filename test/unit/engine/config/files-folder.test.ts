import { mkdirSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnnamed } from '../../../../src/engine/config/files-folder.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const digest = '0123456789abcdef';
const useOf = (names: readonly string[]) => ({
  isNamed: (name: string) => names.includes(name),
  forget: () => undefined,
});
const minutes = (count: number) => count * 60_000;

test('only a hawser file that no set has used for an hour is removed', async () => {
  const folder = testFolder();
  const named = `certs/a.${digest}.pem`;
  const old = `certs/b.${digest}.pem`;
  const half = `certs/.c.${digest}`;
  mkdirSync(join(folder, 'certs'));
  for (const name of [named, old, half, 'certs/by-hand.pem']) writeFileSync(join(folder, name), '');
  const unnamed = { since: new Map<string, number>(), nextScanMs: 0, writtenBytes: 0 };
  const removedAt = async (nowMs: number, names: readonly string[]) =>
    (await removeUnnamed(folder, useOf(names), unnamed, nowMs)).toSorted();
  expect(await removedAt(0, [named])).toEqual([]);
  expect(await removedAt(minutes(59), [named])).toEqual([]);
  expect(await removedAt(minutes(61), [named])).toEqual([]);
  expect(await removedAt(minutes(70), [named])).toEqual([half, old].toSorted());
  expect(readdirSync(join(folder, 'certs')).toSorted()).toEqual([`a.${digest}.pem`, 'by-hand.pem']);
});

test('files that no set uses are removed beyond 64 MiB, the oldest first, and sooner if much was written', async () => {
  const folder = testFolder();
  const [oldest, newer, newest] = ['a', 'b', 'c'].map((name) => `${name}.${digest}`) as [
    string,
    string,
    string,
  ];
  for (const [index, name] of [newest, oldest, newer].entries()) {
    writeFileSync(join(folder, name), '');
    // A sparse file.
    truncateSync(join(folder, name), 30 * 1024 * 1024);
    utimesSync(join(folder, name), 0, [3, 1, 2][index] ?? 0);
  }
  const unnamed = { since: new Map<string, number>(), nextScanMs: 0, writtenBytes: 0 };
  const removedAt = (nowMs: number) => removeUnnamed(folder, useOf([]), unnamed, nowMs);
  const write32MiB = () => {
    unnamed.writtenBytes += 32 * 1024 * 1024;
  };
  write32MiB();
  // The files may be those of a set that is being written.
  expect(await removedAt(0)).toEqual([]);
  expect(await removedAt(minutes(1))).toEqual([]);
  write32MiB();
  expect(await removedAt(minutes(1))).toEqual([oldest]);
  expect(readdirSync(folder).toSorted()).toEqual([newer, newest]);
  expect(unnamed).toMatchObject({ nextScanMs: minutes(11), writtenBytes: 0 });
});
