import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureTests } from './failure-tests.ts';

const root = join(import.meta.dirname, '../../..');
const failures = readFileSync(join(root, 'docs/failures.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what'))
  .map((line) => line.split(' | ')[0]?.slice(2));

test('each row of docs/failures.md has a test, in the same order', () => {
  expect(failures).toEqual(failureTests.map(([failure]) => failure));
});

test.each(failureTests)('a test of that name shows it: %s', (_, file, title) => {
  expect(readFileSync(join(root, 'test', file), 'utf8')).toContain(title);
});
