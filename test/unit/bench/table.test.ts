import { expect, test } from 'vitest';
import { formatFigure, formatScenario, missedTargets, tableHeading } from '../../bench/reload/table.ts';

const result = {
  hawser: { lost: 3, servedAgainMs: { median: 123.4, min: 12.34, max: 456.7, count: 5 }, servingAfter: true },
  shell: { lost: 1_204, servedAgainMs: null, servingAfter: false },
  target: { lost: { kind: 'at-most', value: 0 }, servingAfter: { kind: 'is', value: true } },
} as const;

test('a row shows both subjects, the target and a miss in capitals', () => {
  const rows = formatScenario('kill', 'about it', result).split('\n');
  expect(rows[0]).toBe('kill: about it');
  expect(rows[1]?.split(/ {2,}/)).toEqual(['', 'lost', '3', '1204', '<= 0', 'MISSED']);
  expect(rows[2]?.split(/ {2,}/)).toEqual(['', 'servedAgainMs', '123 (12.3-457, n=5)', 'never']);
  expect(rows[3]?.split(/ {2,}/)).toEqual(['', 'servingAfter', 'yes', 'no', 'yes', 'yes']);
});

test('no line is longer than 100 columns', () => {
  const lines = [tableHeading(), formatScenario('kill', 'about it', result)].join('\n').split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('a subject that was not measured has dashes and misses nothing', () => {
  const { hawser: _, ...onlyShell } = result;
  expect(formatFigure(undefined)).toBe('-');
  expect(formatScenario('kill', 'about it', onlyShell)).not.toContain('MISSED');
  expect(missedTargets(onlyShell)).toEqual([]);
});

test('a target without a figure is missed', () => {
  expect(missedTargets(result)).toEqual(['lost']);
  expect(missedTargets({ ...result, hawser: {} })).toEqual(['lost', 'servingAfter']);
});
