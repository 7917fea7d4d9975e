import { expect, test } from 'vitest';
import { parseLabelSelector, selects } from '../../../../src/engine/kube/label-selector.ts';

const labels = { a: 'b', 'example.com/tier': 'gold', empty: '' };

test.each([
  ['', true],
  ['a=b', true],
  ['a==b', true],
  [' a = b , empty= ', true],
  ['a=c', false],
  ['a!=c', true],
  ['a!=b', false],
  ['x!=b', true],
  ['a', true],
  ['x', false],
  ['!x', true],
  ['! a', false],
  ['a in (b,c)', true],
  ['a in(c, d)', false],
  ['x in (b)', false],
  ['a notin (c)', true],
  ['a notin (b)', false],
  ['x notin (b)', true],
  ['empty in ()', true],
  ['example.com/tier=gold,a in (b),!x', true],
  ['example.com/tier=gold,a in (c),!x', false],
  ['constructor', false],
])('%j selects %j', (text, isSelected) => {
  const selector = parseLabelSelector(text);
  expect(selector && selects(selector, labels)).toBe(isSelected);
});

test.each([
  'a=b,',
  ',a=b',
  'a=b c',
  'a=b=c',
  'a in b',
  'a in (b',
  'a in (b c)',
  'a in (-b)',
  '-a=b',
  'A/b/c=d',
  '!a=b',
  `${'a'.repeat(64)}=b`,
  `a=${'b'.repeat(64)}`,
  'a>1',
])('%j is refused', (text) => {
  expect(parseLabelSelector(text)).toBeUndefined();
});
