import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const docs = join(import.meta.dirname, '../../../docs');
const rows = readFileSync(join(docs, 'failures.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what'));

test('the table of failures is there', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)('a test of that name shows it: %s', (row) => {
  const [, path = 'no link', title = ''] = /\[test\]\((\S+) "(.+)"\) \|$/.exec(row) ?? [];
  expect(readFileSync(join(docs, path), 'utf8')).toContain(title);
});
