import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultNames } from '../../faults/generate/catalogue.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/internals/faults.md'), 'utf8');

test('docs/internals/faults.md lists every kind of fault, and no other', () => {
  const [, rows = ''] = /## What happens\n(.*?)\n## /s.exec(page) ?? [];
  const named = [...rows.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...faultNames].sort());
});
