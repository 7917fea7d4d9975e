import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readLastKnown, writeLastKnown } from '../../../../../src/engine/monitor/servers/last-known.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';

const servers = [
  { name: 'a', address: '10.0.0.1', port: 6443 },
  { name: 'b', address: 'fd00::1', port: 6443 },
];
const now = new Date('2026-01-02T03:04:05Z');
let dir: string;
let path: string;

beforeEach(async () => {
  dir = testFolder();
  path = join(dir, 'state', 'last-known.json');
  await writeLastKnown(path, servers.toReversed(), now);
});

test('a saved list is read back sorted, only root can read it, and no other files are left', async () => {
  expect(await readLastKnown(path)).toEqual({ kind: 'known', servers, savedAt: now.toISOString() });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toEqual(['last-known.json']);
});

test('the first start has no list', async () => {
  expect(await readLastKnown(join(dir, 'none.json'))).toEqual({ kind: 'none' });
});

test.each<[string, (file: string) => void, RegExp]>([
  ['empty', (file) => truncateSync(file), /not a saved list/],
  ['half-written', (file) => truncateSync(file, statSync(file).size / 2), /not a saved list/],
  ['edited by hand', (file) => replaceInFile(file, '10.0.0.1', '10.0.0.7'), /does not match its checksum/],
  ['of a later version', (file) => replaceInFile(file, '"version":1', '"version":2'), /not a saved list/],
  ['huge', (file) => truncateSync(file, 2_000_000_000), /2000000000 bytes/],
  ['binary', (file) => writeFileSync(file, Buffer.from([0, 255, 1])), /not a saved list/],
  ['a directory', (file) => [rmSync(file), mkdirSync(file)], /it is a directory/],
])('a file that is %s is rejected without an exception', async (_what, damage, reason) => {
  damage(path);
  expect(await readLastKnown(path)).toEqual({ kind: 'unusable', reason: expect.stringMatching(reason) });
});

test.each([
  ['an empty list', []],
  ['a name with a newline', [{ name: 'a\nb', address: '10.0.0.1', port: 1 }]],
  ['an invalid address', [{ name: 'a', address: '10.0.0.1 weight 9', port: 1 }]],
  ['an invalid port', [{ name: 'a', address: '10.0.0.1', port: 0 }]],
])('%s is rejected even with a valid checksum', async (_what, hostile) => {
  await writeLastKnown(path, hostile, now);
  expect(await readLastKnown(path)).toMatchObject({
    kind: 'unusable',
    reason: expect.stringMatching(/list of servers is invalid/),
  });
});

test('a failed write leaves the old list', async () => {
  const blocked = join(dir, 'blocked');
  writeFileSync(blocked, '');
  chmodSync(blocked, 0o600);
  await expect(writeLastKnown(join(blocked, 'x.json'), servers, now)).rejects.toThrow(/ENOTDIR|EEXIST/);
  expect((await readLastKnown(path)).kind).toBe('known');
});

function replaceInFile(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}
