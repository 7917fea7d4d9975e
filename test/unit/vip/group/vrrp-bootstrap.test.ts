import { expect, test } from 'vitest';
import { initialBootstrap, nextBootstrap } from '../../../../src/vip/group/vrrp-bootstrap.ts';

/** `+` a good look at /readyz, `-` a failed one. */
const stateAfter = (looks: string) =>
  [...looks].reduce((state, look) => nextBootstrap(state, look === '+'), initialBootstrap);

test('resigns at the fifth failure in a row, not at the fourth', () => {
  expect(stateAfter('+----').resigned).toBe(false);
  expect(stateAfter('+-----').resigned).toBe(true);
});

test('one good answer starts the count over', () => {
  expect(stateAfter('+----+----').resigned).toBe(false);
});

test('an API server that has never answered is still starting', () => {
  expect(stateAfter('-'.repeat(1_800)).resigned).toBe(false);
  expect(stateAfter(`${'-'.repeat(1_800)}+-----`).resigned).toBe(true);
});

test('has resigned for good', () => {
  expect(stateAfter('+-----++++').resigned).toBe(true);
});
