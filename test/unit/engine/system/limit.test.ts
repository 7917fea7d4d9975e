import { expect, it } from 'vitest';
import { overLimit } from '../../../../src/engine/system/limit.ts';

const MAX_ROWS = 10;

it('the error for an exceeded limit names the limit', () => {
  expect(overLimit(10, 'rows', { MAX_ROWS })).toBeUndefined();
  expect(overLimit(11, 'rows', { MAX_ROWS })).toBe('11 rows, the limit MAX_ROWS is 10');
});
