import { beforeEach, expect, test } from 'vitest';
import { parseLabelSelector } from '../../../../src/engine/kube/label-selector.ts';
import { type DesiredEntry, ingressEntries } from '../../../../src/router/status/ingress-entries.ts';
import { routeStatus } from '../../../../src/router/status/route-status.ts';
import type { DesiredStatus } from '../../../../src/router/status/status-kind.ts';
import { createStatusTable, type StatusTable } from '../../../../src/router/status/status-table.ts';

const kind = routeStatus({ name: 'public', canonicalHostname: '' });
const metadata = { namespace: 'shop', name: 'a', uid: 'u1' };
const wish: DesiredStatus<DesiredEntry> = {
  ...metadata,
  entry: { host: 'a.example.com', wildcardPolicy: 'None' },
};

let nowMs: number;
let table: StatusTable<DesiredEntry>;

beforeEach(() => {
  nowMs = 0;
  table = createStatusTable(kind, undefined, () => nowMs);
});

const route = (version: number, ingress: readonly object[] = [], more: object = {}) => ({
  metadata: { ...metadata, resourceVersion: `${version}`, ...more },
  status: { ingress },
});
const want = (...wishes: readonly DesiredStatus<DesiredEntry>[]) =>
  table.setDesired(new Map(wishes.map((each) => [`${each.namespace}:${each.name}`, each])));
const pending = () => table.pending('shop:a');
/** The entry that would be written now. */
const entry = () => ingressEntries({ status: pending()?.decide(pending()?.known) })[0] ?? {};

test('a desired status is pending until the route has it, whichever arrives first', () => {
  table.observe(route(1));
  expect(pending()).toBeUndefined();
  expect(want(wish)).toEqual(['shop:a']);
  expect(pending()).toMatchObject({ namespace: 'shop', name: 'a', known: route(1) });
  table.recordWrite(route(2, [entry()]));
  expect(pending()).toBeUndefined();
  expect(want({ ...wish })).toEqual([]);
});

test('a route without a watch event is read', () => {
  want(wish);
  expect(pending()).not.toHaveProperty('known');
});

test('a late watch event from before our write changes nothing', () => {
  want(wish);
  table.observe(route(1));
  table.recordWrite(route(3, [entry()]));
  expect(table.observe(route(2))).toBeUndefined();
  expect(pending()).toBeUndefined();
});

test('after the grace period, an older version means a restored etcd', () => {
  want(wish);
  table.observe(route(1));
  table.recordWrite(route(3, [entry()]));
  nowMs = 120_000;
  table.observe(route(2));
  expect(pending()).toMatchObject({ known: route(2) });
});

test('a recreated route waits for its decision', () => {
  want(wish);
  table.observe(route(1, [], { uid: 'u2' }));
  expect(pending()).toBeUndefined();
  want({ ...wish, uid: 'u2' });
  expect(pending()?.decide(route(2))).toBeUndefined();
  expect(pending()?.decide(route(2, [], { uid: 'u2' }))).toBeDefined();
});

test("another writer's change of our entry is a contention, and its removal is not", () => {
  want(wish);
  table.observe(route(1));
  const right = entry();
  expect(table.observe(route(2, [right]))).toMatchObject({ isContended: false });
  expect(table.observe(route(3, [{ ...right, host: 'x' }]))).toEqual({ key: 'shop:a', isContended: true });
  expect(table.observe(route(4, [{ ...right, host: 'y' }]))).toMatchObject({ isContended: false });
  table.observe(route(5, [right]));
  expect(table.observe(route(6))).toMatchObject({ isContended: false });
  expect(pending()).toBeDefined();
});

test('our entry is removed from a route of another router', () => {
  want(wish);
  table.observe(route(1));
  const foreign = { routerName: 'internal' };
  const right = entry();
  table.observe(route(2, [foreign, right]));
  expect(want({ ...wish, entry: undefined })).toEqual(['shop:a']);
  expect(pending()?.decide(pending()?.known)).toEqual({ ingress: [foreign] });
});

test('a deleted route is forgotten, and a relabelled one loses our entry', () => {
  const labels = { a: 'b' };
  table = createStatusTable(kind, parseLabelSelector('a=b'), () => nowMs);
  want(wish);
  table.observe(route(1));
  const right = entry();
  table.observe(route(2, [right]));
  expect(want()).toEqual([]);
  expect(want()).toEqual(['shop:a']);
  expect(pending()).not.toHaveProperty('known');
  expect(pending()?.decide(route(2, [right], { labels }))).toBeUndefined();
  expect(pending()?.decide(route(3, [right], { labels: { a: 'c' } }))).toEqual({ ingress: [] });
  table.recordDeletion('shop:a');
  expect([pending(), want(), [...table.keys()]]).toEqual([undefined, [], []]);
});

test('without a selector, a deleted route is only forgotten', () => {
  want(wish);
  table.observe(route(1));
  table.observe(route(2, [entry()]));
  want();
  expect([want(), pending()]).toEqual([[], undefined]);
});

test('nothing is pending for a deleted route until a decision contains it', () => {
  want(wish);
  table.recordDeletion('shop:a');
  expect(pending()).toBeUndefined();
  expect(want({ ...wish })).toEqual(['shop:a']);
});

test.each([undefined, 'x', {}, { metadata: {} }, { metadata: { ...metadata, resourceVersion: '' } }])(
  'something that is not a route is ignored: %j',
  (object) => {
    expect(table.observe(object)).toBeUndefined();
  },
);

test('a write in progress does not change a route that no longer needs a status', () => {
  want(wish);
  table.observe(route(1));
  const write = pending();
  want();
  expect(write?.decide(route(2, [{ routerName: 'public' }]))).toBeUndefined();
});
