import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Rendered, revisionOf } from '../../../../src/engine/config/set.ts';
import { createStore } from '../../../../src/engine/config/store.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

test('the store remembers what it wrote, and notices a manual edit', async () => {
  const dir = testFolder();
  const configPath = join(dir, 'main.cfg');
  const store = createStore({ configPath });
  expect((await store.onDisk()).revision).toBeUndefined();
  const set: Rendered = { text: '# hawser renders this file\n', mode: 0o644 };
  await store.put(set, undefined, new AbortController().signal);
  expect((await store.onDisk()).revision).toBe(revisionOf(set));
  const edited = '# edited by hand, and longer\n';
  writeFileSync(configPath, edited);
  expect((await store.onDisk()).revision).toBe(revisionOf({ text: edited, mode: 0o644 }));
});

test('each of two checks at the same time has its own link to the file', async () => {
  const configPath = join(testFolder(), 'main.cfg');
  const store = createStore({ configPath });
  const { signal } = new AbortController();
  await store.put({ text: 'a\n', mode: 0o644 }, undefined, signal);
  const end = Promise.withResolvers<void>();
  let isThere = false;
  const slow = store.checkInPlace(async (path) => {
    await end.promise;
    isThere = existsSync(path);
    return { kind: 'valid' };
  }, signal);
  await store.checkInPlace(async () => ({ kind: 'valid' }), signal);
  end.resolve();
  await slow;
  expect(isThere).toBe(true);
});
