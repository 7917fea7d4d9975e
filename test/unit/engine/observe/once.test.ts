import { expect, test } from 'vitest';
import { createOnce } from '../../../../src/engine/observe/once.ts';

test('a failure is new until it is reported, when it changes, and after the topic recovers', () => {
  const once = createOnce();
  expect([once.isNew('a', 'x'), once.isNew('a', 'x'), once.isNew('b', 'x')]).toEqual([true, false, true]);
  expect([once.isNew('a', 'y'), once.clear('a'), once.clear('a')]).toEqual([true, true, false]);
  expect(once.isNew('a', 'y')).toBe(true);
});
