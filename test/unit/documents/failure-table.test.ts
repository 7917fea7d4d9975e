import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tableRows } from './table-rows.ts';

const root = join(import.meta.dirname, '../../..');
const failures = tableRows(join(root, 'docs/failures.md')).map(([failure]) => failure);
const failureTests = tableRows(join(import.meta.dirname, 'failure-tests.md'));

test('each row of docs/failures.md has a test, in the same order', () => {
  expect(failures).toEqual(failureTests.map(([failure]) => failure));
});

test.each(failureTests)('a test with the listed title exists: %s', (_, file = '', title = '') => {
  expect(title).not.toBe('');
  expect(readFileSync(join(root, 'test', file), 'utf8')).toContain(title);
});
