import { expect, it } from 'vitest';
import { overLimit } from '../../../../src/engine/system/limit.ts';

const MAX_ROWS = 10;

it('a limit is met by more than it allows, and is told by name', () => {
  expect(overLimit(10, 'rows', { MAX_ROWS })).toBeUndefined();
  expect(overLimit(11, 'rows', { MAX_ROWS })).toBe('11 rows, the limit MAX_ROWS is 10');
});
