import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStateFile } from '../../../../src/keepalived/vrrp-state-file.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const holder = [{ name: 'API', state: 'MASTER' as const, priority: 220, since: 0 }];

function openFile() {
  const dir = testFolder();
  const path = join(dir, 'vrrp-state.json');
  return { path, file: createStateFile(path, () => {}) };
}

test.each<[string, (path: string) => void]>([
  ['removed', (path) => rmSync(path)],
  ['truncated', (path) => truncateSync(path, 10)],
  ['overwritten', (path) => writeFileSync(path, 'something else\n')],
  ['made unreadable', (path) => chmodSync(path, 0)],
])('a state file that another program has %s is restored at the next check', (_, damage) => {
  const { path, file } = openFile();
  file.write(holder, 1_000);
  const text = readFileSync(path, 'utf8');
  damage(path);
  file.write(holder, 1_000);
  expect(JSON.parse(readFileSync(path, 'utf8')).instances).toMatchObject([{ name: 'API', state: 'MASTER' }]);
  expect(readFileSync(path, 'utf8')).toHaveLength(text.length);
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

test('an unchanged state file is not written, and one removed at the end stays removed', () => {
  const { path, file } = openFile();
  file.write(holder, 1_000);
  const { ino } = statSync(path);
  file.write(holder, 2_000);
  expect(statSync(path).ino).toBe(ino);
  file.remove();
  file.write(holder, 3_000);
  expect(existsSync(path)).toBe(false);
});

test('states that could not be written are written at the next check, and the failure is logged once', () => {
  const dir = testFolder();
  const path = join(dir, 'later', 'vrrp-state.json');
  const events: string[] = [];
  const file = createStateFile(path, ({ event }) => void events.push(event));
  file.write(holder, 1_000);
  file.write(holder, 2_000);
  expect(events).toEqual(['states-not-written']);

  mkdirSync(join(dir, 'later'));
  file.write(holder, 3_000);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    instances: [{ name: 'API', state: 'MASTER' }],
  });
});
