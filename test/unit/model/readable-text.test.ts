import { expect, test } from 'vitest';
import { ageText } from '../../../src/model/readable-text.ts';

test('ages are rounded down, in one unit', () => {
  const ages = [-5, 999, 59_999, 60_000, 3_599_999, 3_600_000, 172_799_999, 172_800_000];
  expect(ages.map(ageText)).toEqual(['0 s', '0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
});
