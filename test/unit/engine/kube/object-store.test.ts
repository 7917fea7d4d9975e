import { expect, test } from 'vitest';
import type { ParsedItem } from '../../../../src/engine/kube/kube-objects.ts';
import {
  fromList,
  mergeStores,
  type ObjectStore,
  takeChange,
  takePoll,
} from '../../../../src/engine/kube/object-store.ts';

const item = (key: string, version: number | string): ParsedItem => ({
  key,
  resourceVersion: `${version}`,
  candidates: [],
  skipped: [],
});
const list = (version: number | string, ...items: ParsedItem[]) => ({ resourceVersion: `${version}`, items });
const show = (store: ObjectStore) =>
  [...store.items.values()].map(({ key, resourceVersion }) => `${key}@${resourceVersion}`).join(' ');
const start = fromList(list(100, item('a', 90), item('b', 100)));

test('events set, replace and remove', () => {
  const changed = takeChange(takeChange(start, { kind: 'set', item: item('a', 101) }), {
    kind: 'set',
    item: item('c', 102),
  });
  expect(show(changed)).toBe('a@101 b@100 c@102');
  expect(show(takeChange(changed, { kind: 'remove', key: 'b', resourceVersion: '103' }))).toBe('a@101 c@102');
});

test('a bookmark moves the version and nothing else', () => {
  const moved = takeChange(start, { kind: 'reached', resourceVersion: '150' });
  expect(moved.resourceVersion).toBe('150');
  expect(show(moved)).toBe(show(start));
});

test('a poll that was answered late does not undo what the watch saw meanwhile', () => {
  const watched = takeChange(start, { kind: 'remove', key: 'b', resourceVersion: '105' });
  expect(takePoll(watched, list(100, item('a', 90), item('b', 100)))).toBe(watched);
});

test('a poll that is newer replaces everything, and watch events it has overtaken change nothing', () => {
  const polled = takePoll(start, list(110, item('a', 90)));
  expect(show(polled)).toBe('a@90');
  expect(takeChange(polled, { kind: 'set', item: item('b', 105) })).toBe(polled);
  expect(takeChange(polled, { kind: 'set', item: item('b', 9) })).toBe(polled);
  expect(show(takeChange(polled, { kind: 'set', item: item('b', 111) }))).toBe('a@90 b@111');
});

test('versions that are no numbers cannot be compared, so that what came last counts', () => {
  const odd = takePoll(start, list('x1', item('a', 'x1')));
  expect(show(odd)).toBe('a@x1');
  expect(show(takeChange(odd, { kind: 'set', item: item('b', 'x0') }))).toBe('a@x1 b@x0');
});

test('an object in two stores counts once, in its newest version', () => {
  const other = fromList(list(120, item('b', 115), item('c', 120)));
  const merged = (stores: ObjectStore[]) =>
    mergeStores(stores).map(({ key, resourceVersion }) => `${key}@${resourceVersion}`);
  expect(merged([start, other])).toEqual(['a@90', 'b@115', 'c@120']);
  expect(merged([other, start])).toEqual(['b@115', 'c@120', 'a@90']);
});
