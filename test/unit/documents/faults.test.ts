import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultNames } from '../../faults/generate/catalogue.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/internals/faults.md'), 'utf8');

test('docs/internals/faults.md names every kind of fault, and no other', () => {
  const [, rows = ''] = /## What happens\n(.*?)\n## /s.exec(page) ?? [];
  const named = [...rows.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...faultNames].sort());
});

/** `11, 13 to 15 and 20, five times (…)` is 25 runs. */
function runsOf(seeds: string): number {
  const [list = '', times = ''] = seeds.replace(/ \(.*?\)/, '').split(/, (?=\w+ times)/);
  const counts = list.split(/, | and /).map((part) => {
    const [, first, last = first] = /^(\d+)(?: to (\d+))?$/.exec(part) ?? [];
    return Number(last) - Number(first) + 1;
  });
  const repeats = times === '' ? 1 : ['two', 'three', 'four', 'five'].indexOf(times.split(' ')[0] ?? '') + 2;
  return counts.reduce((sum, count) => sum + count, 0) * repeats;
}

test('docs/internals/faults.md has the sum of the minutes of its table', () => {
  const [, table = ''] = /## What has been run\n(.*)/s.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| (\d[^|]*) \| ([^|]*) \|/gm)].map(([, seeds = '', minutes = '']) => {
    const each = /^under 1 each$/.test(minutes) ? 0 : Number(/^(\d+)(?: each)?$/.exec(minutes)?.[1]);
    return { seeds, minutes: runsOf(seeds) * each };
  });
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ minutes }) => Number.isNaN(minutes))).toEqual([]);
  const sum = rows.reduce((all, { minutes }) => all + minutes, 0);
  expect(/^That is (\d+) minutes/m.exec(page)?.[1]).toBe(`${sum}`);
});
