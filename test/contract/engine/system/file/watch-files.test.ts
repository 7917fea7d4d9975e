import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { watchFiles } from '../../../../../src/engine/system/file/watch-files.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

let directory: string;
let stop: AbortController;
let changed: string[];

beforeEach(() => {
  directory = testFolder();
  stop = new AbortController();
  changed = [];
});
afterEach(() => {
  stop.abort();
});

/** Resolves once the watch works: any change after this call has been reported. */
async function watching(recheckMs: number, ...paths: readonly string[]): Promise<void> {
  const canary = join(directory, 'canary');
  watchFiles([...paths, canary], (path) => changed.push(path), { recheckMs, signal: stop.signal });
  let round = 0;
  await waitFor('the watch to work', () => {
    round += 1;
    writeFileSync(canary, String(round).repeat(round));
    return changed.includes(canary);
  });
}

const reported = (path: string) => waitFor(`a change of ${path}`, () => changed.includes(path));

test('a change right after the start of the watch is reported', async () => {
  const path = join(directory, 'order');
  writeFileSync(path, 'one');
  watchFiles([path], (changedPath) => changed.push(changedPath), { recheckMs: 20, signal: stop.signal });
  writeFileSync(path, 'three');
  await reported(path);
});

test('a file written in place is reported', async () => {
  const path = join(directory, 'template');
  writeFileSync(path, 'one');
  await watching(60_000, path);
  writeFileSync(path, 'three');
  await reported(path);
});

test('a file that is replaced, removed and created again is reported', async () => {
  const path = join(directory, 'template');
  writeFileSync(path, 'one');
  await watching(60_000, path);
  writeFileSync(join(directory, 'new'), 'two');
  renameSync(join(directory, 'new'), path);
  await reported(path);
  changed = [];
  rmSync(path);
  await reported(path);
  changed = [];
  writeFileSync(path, 'again');
  await reported(path);
});

test('a mounted ConfigMap whose data is swapped by a symbolic link is reported', async () => {
  for (const version of ['v1', 'v2']) {
    mkdirSync(join(directory, version));
    writeFileSync(join(directory, version, 'template'), version);
  }
  symlinkSync('v1', join(directory, '..data'));
  const path = join(directory, 'template');
  symlinkSync('..data/template', path);
  await watching(60_000, path);
  symlinkSync('v2', join(directory, '..data_tmp'));
  renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
  await reported(path);
});

test('a directory that does not exist yet is found by polling', async () => {
  const path = join(directory, 'late', 'kubeconfig');
  await watching(20, path);
  mkdirSync(join(directory, 'late'));
  writeFileSync(path, 'here');
  await reported(path);
});
