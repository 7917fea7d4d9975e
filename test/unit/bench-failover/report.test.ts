import { expect, test } from 'vitest';
import type { Fault, Measured } from '../../bench/failover/fault.ts';
import { faults } from '../../bench/failover/faults.ts';
import { readOptions } from '../../bench/failover/options.ts';
import { missedTargets, summarize } from '../../bench/failover/report.ts';
import { formatFault, tableHeading } from '../../bench/failover/table.ts';

const fault: Fault = {
  name: 'node-death',
  about: 'about it',
  headline: 'outageMs',
  targets: { outageMs: { atMost: 350, of: 'median' }, recoveryMoves: { atMost: 0, of: 'max' } },
  moves: 1,
  inject: async () => 0,
  undo: async () => {},
};
const trials = [
  { outageMs: 280, recoveryMoves: 0 },
  { outageMs: 300, recoveryMoves: 0 },
  { outageMs: 900, recoveryMoves: 0 },
] satisfies readonly Measured[];
const good = summarize(fault, trials, 0);

test('a fault has the figures of its headline, and those of every metric', () => {
  expect(good).toMatchObject({ median: 300, max: 900, n: 3, metrics: { recoveryMoves: { max: 0, n: 3 } } });
});

test('a time is judged by its median', () => {
  expect(missedTargets(fault, { hawser: good })).toEqual([]);
});

test('one move too many in any trial misses the target', () => {
  const worse = summarize(fault, [...trials, { outageMs: 1, recoveryMoves: 1 }], 0);
  expect(missedTargets(fault, { hawser: worse })).toEqual(['recoveryMoves']);
});

test('a trial that could not be measured misses every target', () => {
  expect(missedTargets(fault, { hawser: summarize(fault, trials, 1) })).toEqual([
    'outageMs',
    'recoveryMoves',
  ]);
  expect(missedTargets(fault, { hawser: summarize(fault, [], 0) })).toEqual(['outageMs', 'recoveryMoves']);
});

test('the table says a miss in capitals, failed trials, and no more than fits a terminal', () => {
  const slow = summarize(fault, [{ outageMs: 351, recoveryMoves: 0 }], 0);
  const text = formatFault(fault, { hawser: slow, openshift: summarize(fault, trials, 2) });
  const rows = text.split('\n').map((row) => row.split(/ {2,}/));
  expect(rows[1]).toEqual(['', 'outageMs', '351 / 351 / 1', '300 / 900 / 3', '-', 'median <= 350', 'MISSED']);
  expect(rows[2]?.at(-1)).toBe('yes');
  expect(text).toContain('openshift: 2 trials FAILED');
  const lines = [tableHeading(), text].join('\n').split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('a fault that does not exist is refused with the names that do', () => {
  expect(() => readOptions(['--only', 'node-deth'], faults)).toThrow(
    'expected one of no-fault, node-death, ',
  );
});

test('trials are as many as asked for, else one for a quick look', () => {
  expect(readOptions(['--trials', '7'], faults).trials('kubeadm')).toBe(7);
  expect(readOptions(['--quick'], faults).trials('hawser')).toBe(1);
  expect(() => readOptions(['--trials', '0'], faults)).toThrow('expected a number from 1 to 1000');
});
