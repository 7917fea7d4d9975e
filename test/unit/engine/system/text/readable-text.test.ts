import { expect, test } from 'vitest';
import { ageText, limitText } from '../../../../../src/engine/system/text/readable-text.ts';

test('ages are rounded down to one unit', () => {
  const ages = [-5, 999, 59_999, 60_000, 3_599_999, 3_600_000, 172_799_999, 172_800_000];
  expect(ages.map(ageText)).toEqual(['0 s', '0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
});

test('limits are rounded up to one unit', () => {
  const limits = [-5, 1, 59_000, 59_001, 112_600, 3_540_000, 3_540_001, 3_600_001];
  expect(limits.map(limitText)).toEqual(['0 s', '1 s', '59 s', '1 min', '2 min', '59 min', '1 h', '2 h']);
});
