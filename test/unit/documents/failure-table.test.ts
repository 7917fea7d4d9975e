import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const section = readFileSync(join(root, 'README.md'), 'utf8').split('\n## ').find(isFailures) ?? '';
const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| when'));

function isFailures(text: string): boolean {
  return text.startsWith('What it does when something breaks');
}

test('the table of failures is there', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)('a test of that name shows it: %s', (row) => {
  const [, path = 'no link', title = ''] = /\[test\]\((\S+) "(.+)"\) \|$/.exec(row) ?? [];
  expect(readFileSync(join(root, path), 'utf8')).toContain(title);
});
