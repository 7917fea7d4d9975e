import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isHolder } from '../../../src/keepalived/holder.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hawser-holder-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const instances = new Set(['API']);
function holds(state: string): boolean {
  const path = join(directory, 'vrrp-state.json');
  writeFileSync(path, state);
  return isHolder(path, instances);
}

test('a node holds while its keepalived is MASTER of one of the instances', () => {
  expect(holds('{"instances":[{"name":"API","state":"MASTER","priority":220}]}')).toBe(true);
  expect(holds('{"instances":[{"name":"API","state":"BACKUP"},{"name":"OTHER","state":"MASTER"}]}')).toBe(
    false,
  );
});

test.each(['', '{', 'null', '[]', '{"instances":7}', '{"instances":[null,{"name":7,"state":"MASTER"}]}'])(
  'a state file that says "%s" makes nobody a holder',
  (text) => expect(holds(text)).toBe(false),
);

test('no state file, no holder', () => {
  expect(isHolder(join(directory, 'missing'), instances)).toBe(false);
});
