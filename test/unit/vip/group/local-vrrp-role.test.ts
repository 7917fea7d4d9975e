import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readLocalVrrpRole } from '../../../../src/vip/group/local-vrrp-role.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

let directory: string;
beforeEach(() => {
  directory = testFolder();
});
function partIn(text: string) {
  const path = join(directory, 'vrrp-state.json');
  writeFileSync(path, text);
  return readLocalVrrpRole(path, 'api', 1_000);
}
const written = (...instances: readonly object[]) =>
  partIn(JSON.stringify({ instances: instances.map((each) => ({ sinceMs: 900, ...each })) }));

test('a node is the holder while one of its instances is MASTER', () => {
  expect(written({ name: 'API', state: 'MASTER' })).toEqual({ role: 'holder', ageMs: 100 });
  expect(written({ name: 'API', state: 'BACKUP' }, { name: 'OTHER', state: 'MASTER' })).toEqual({
    role: 'backup',
    ageMs: 100,
  });
});

test('the holder of the API VIP is not necessarily the holder of the ingress VIP', () => {
  written({ name: 'API', state: 'MASTER' }, { name: 'INGRESS', state: 'BACKUP' });
  const path = join(directory, 'vrrp-state.json');
  expect(readLocalVrrpRole(path, 'api', 1_000).role).toBe('holder');
  expect(readLocalVrrpRole(path, 'ingress', 1_000).role).toBe('backup');
});

test.each(['FAULT', 'STOP', 'UNKNOWN'])('in %s a node has no role', (state) => {
  expect(written({ name: 'API', state }).role).toBe('none');
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"instances":7}',
  '{"instances":[null,{"name":7,"state":"MASTER","sinceMs":0}]}',
])('a state file with "%s" gives no role', (text) => expect(partIn(text).role).toBe('none'));

test('without a state file there is no role', () => {
  expect(readLocalVrrpRole(join(directory, 'missing'), 'api', 0).role).toBe('none');
});
