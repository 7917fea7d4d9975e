import { expect, test } from 'vitest';
import {
  createObjectStore,
  mergeStores,
  type ObjectStore,
} from '../../../../src/engine/kube/object-store.ts';

const list = (version: number | string, objects: Readonly<Record<string, number | string>>) => ({
  resourceVersion: `${version}`,
  objects: new Map(
    Object.entries(objects).map(([key, at]) => [key, { resourceVersion: `${at}`, value: `${key}@${at}` }]),
  ),
});
const set = (key: string, at: number | string) =>
  ({ kind: 'object', key, resourceVersion: `${at}`, value: `${key}@${at}` }) as const;
const remove = (key: string, at: number) =>
  ({ kind: 'object', key, resourceVersion: `${at}`, value: undefined }) as const;
const show = (store: ObjectStore<string>) =>
  [...store.objects().values()].map(({ value }) => value).join(' ');
const start = () => createObjectStore(list(100, { a: 90, b: 100 }));

test('events add, replace and remove objects', () => {
  const store = start();
  expect([store.take(set('a', 101)), store.take(set('c', 102))]).toEqual([true, true]);
  expect(show(store)).toBe('a@101 b@100 c@102');
  expect([store.take(remove('b', 103)), store.take(remove('b', 104))]).toEqual([true, false]);
  expect(show(store)).toBe('a@101 c@102');
});

test('a bookmark changes only the version', () => {
  const store = start();
  expect(store.take({ kind: 'reached', resourceVersion: '150' })).toBe(false);
  expect(store.resourceVersion()).toBe('150');
  expect(show(store)).toBe('a@90 b@100');
});

test("a heartbeat changes an object's version but not its projection, so it is not a change", () => {
  const store = createObjectStore({
    resourceVersion: '100',
    objects: new Map([['a', { resourceVersion: '90', value: { name: 'a', addresses: ['10.0.0.1'] } }]]),
  });
  const beat = (at: number, addresses: readonly string[]) =>
    store.take({
      kind: 'object',
      key: 'a',
      resourceVersion: `${at}`,
      value: { name: 'a', addresses: [...addresses] },
    });
  expect([beat(101, ['10.0.0.1']), beat(102, ['10.0.0.2']), beat(103, ['10.0.0.2'])]).toEqual([
    false,
    true,
    false,
  ]);
  expect(store.objects().get('a')?.resourceVersion).toBe('103');
  expect(store.resourceVersion()).toBe('103');
});

test('a poll that is answered late does not undo later watch events', () => {
  const store = start();
  store.take(remove('b', 105));
  store.poll(list(100, { a: 90, b: 100 }), '100');
  expect(show(store)).toBe('a@90');
});

test('an older list is applied, because the API may have been restored from a backup', () => {
  const store = start();
  store.relist(list(50, { a: 40 }));
  expect([show(store), store.resourceVersion()]).toEqual(['a@40', '50']);
});

test('a newer poll replaces everything, and watch events older than it change nothing', () => {
  const store = start();
  store.poll(list(110, { a: 90 }), '100');
  expect(show(store)).toBe('a@90');
  expect([store.take(set('b', 105)), store.take(set('b', 9))]).toEqual([false, false]);
  expect(show(store)).toBe('a@90');
  store.take(set('b', 111));
  expect(show(store)).toBe('a@90 b@111');
});

test('versions that are not numbers cannot be compared, so the last one wins', () => {
  const store = start();
  store.poll(list('x1', { a: 'x1' }), '100');
  expect(show(store)).toBe('a@x1');
  store.take(set('b', 'x0'));
  expect(show(store)).toBe('a@x1 b@x0');
});

test('an object in two stores counts once, in its newest version', () => {
  const other = createObjectStore(list(120, { b: 115, c: 120 }));
  const merged = (...stores: ObjectStore<string>[]) =>
    [...mergeStores(stores).values()].map(({ value }) => value);
  expect(merged(start(), other)).toEqual(['a@90', 'b@115', 'c@120']);
  expect(merged(other, start())).toEqual(['b@115', 'c@120', 'a@90']);
});

test('an object without a version is kept, and the next watch still starts at a version', () => {
  const store = start();
  expect(store.take(set('c', ''))).toBe(true);
  expect(show(store)).toBe('a@90 b@100 c@');
  expect(store.resourceVersion()).toBe('100');
});

test('a poll older than the version known at its request is applied: etcd was restored', () => {
  const store = start();
  store.poll(list(50, { a: 40 }), '100');
  expect([show(store), store.resourceVersion()]).toEqual(['a@40', '50']);
  store.take(set('b', 51));
  store.poll(list(50, { a: 40 }), '50');
  expect(show(store)).toBe('a@40 b@51');
});

test('a value that is listed or watched unchanged remains the same object', () => {
  const value = (at: number) => ({ resourceVersion: `${at}`, value: { host: 'a.test' } });
  const store = createObjectStore({ resourceVersion: '100', objects: new Map([['a', value(90)]]) });
  const first = store.objects().get('a')?.value;
  store.relist({ resourceVersion: '110', objects: new Map([['a', value(90)]]) });
  expect(store.objects().get('a')?.value).toBe(first);
  const told = { kind: 'object', key: 'a', ...value(111) } as const;
  expect(store.take(told)).toBe(false);
  expect(store.objects().get('a')).toEqual(value(111));
  expect(store.objects().get('a')?.value).toBe(first);
  store.relist({ resourceVersion: '120', objects: new Map([['a', value(119)]]) });
  expect(store.objects().get('a')?.value).not.toBe(first);
});
