import { beforeEach, expect, test } from 'vitest';
import { reportUnreadable } from '../../../../src/router/follow/reported-topics.ts';
import type { Unreadable } from '../../../../src/router/follow/router-resources.ts';

const HOUR_MS = 3_600_000;

let lines: { readonly event: string; readonly key?: unknown; readonly problems?: unknown }[];
let nowMs: number;
let unreadable: Unreadable;
beforeEach(() => {
  [lines, nowMs] = [[], 0];
  unreadable = reportUnreadable(
    (line) => void lines.push(line),
    () => nowMs,
  );
});

const objectOf = (name: string) => ({ metadata: { namespace: 'shop', name } });
/** The log events for a list of this many objects. */
const list = (count: number, prefix = 'bad') => {
  lines.length = 0;
  for (let index = 0; index < count; index += 1)
    unreadable('Secrets', objectOf(`${prefix}-${index}`), ['no data']);
  return Map.groupBy(lines, ({ event }) => event);
};

test('an object is logged once, and again for another problem', () => {
  unreadable('Secrets', objectOf('a'), ['one']);
  unreadable('Secrets', objectOf('a'), ['one']);
  unreadable('Services', objectOf('a'), ['one']);
  unreadable('Secrets', objectOf('a'), ['two']);
  expect(lines.map(({ problems }) => problems)).toEqual([['one'], ['one'], ['two']]);
});

test('beyond a thousand objects a single line is logged, and no list repeats the objects', () => {
  const first = list(1_001);
  expect([first.get('object-unreadable')?.length, first.get('objects-unreadable')?.length]).toEqual([
    1_000, 1,
  ]);
  for (let round = 1; round < 20; round += 1) {
    nowMs += HOUR_MS / 6;
    expect(list(1_001).size).toBe(0);
  }
});

test('deleted objects make room for others', () => {
  list(1_001);
  nowMs += HOUR_MS;
  expect(
    list(3, 'new')
      .get('object-unreadable')
      ?.map(({ key }) => key),
  ).toEqual(['shop/new-0', 'shop/new-1', 'shop/new-2']);
  expect(list(2_000, 'more').get('objects-unreadable')).toHaveLength(1);
});

test("of an object's many problems, the first twenty are reported, with the number of the others", () => {
  const problems = Array.from({ length: 25 }, (_, index) => `problem ${index}`);
  unreadable('Secrets', objectOf('a'), problems);
  expect(lines[0]?.problems).toEqual([...problems.slice(0, 20), 'and 5 more']);
});
