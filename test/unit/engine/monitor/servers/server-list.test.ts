import { expect, test } from 'vitest';
import type { ApiServer } from '../../../../../src/engine/kube/api-server.ts';
import { createServerList } from '../../../../../src/engine/monitor/servers/server-list.ts';
import { createOnce } from '../../../../../src/engine/observe/once.ts';

const SETTLE_MS = 500;
const never = new AbortController().signal;
const nodes = (count: number): readonly ApiServer[] =>
  Array.from({ length: count }, (_, index) => {
    return { name: `cp-${index}`, address: `10.0.0.${index + 1}`, port: 6443 };
  });

function createList() {
  const clock = { nowMs: 0 };
  const logged: string[] = [];
  const list = createServerList(
    { settle: SETTLE_MS, config: '/nowhere/haproxy.cfg' },
    { lastKnown: undefined, save: () => undefined },
    { log: ({ event }) => void logged.push(event), once: createOnce() },
    () => clock.nowMs,
  );
  const see = (servers: readonly ApiServer[]) =>
    list.observe({ kind: 'servers', via: 'watch', from: 'https://api', skipped: [], servers });
  return { clock, list, see, logged };
}

test('the age of a change counts from its first observation', async () => {
  const { clock, list, see } = createList();
  see(nodes(3));
  clock.nowMs = 700;
  await list.next(never);
  expect(list.markServed(nodes(3))).toBe(700);
  expect(list.markServed(nodes(3))).toBe(undefined);
});

test('the age of a list that kept changing counts from its first change', async () => {
  const { clock, list, see } = createList();
  for (let seen = 1; seen <= 20; seen += 1) {
    see(nodes(seen));
    clock.nowMs += 300;
  }
  const { input } = await list.next(never);
  expect(input).toHaveLength(20);
  expect(list.markServed(nodes(20))).toBe(6_000);
});

test('a list that changed back is selected at once if the list between failed', async () => {
  const { clock, list, see } = createList();
  for (const count of [3, 2]) {
    see(nodes(count));
    clock.nowMs += SETTLE_MS;
    expect((await list.next(never)).input).toEqual(nodes(count));
    if (count === 3) list.markServed(nodes(3));
  }
  see(nodes(3));
  expect((await list.next(never)).input).toEqual(nodes(3));
});

test('a changing list is rechecked when it has settled, and is up to date once served', async () => {
  const { clock, list, see } = createList();
  see(nodes(3));
  expect(await list.next(never)).toEqual({ input: undefined, recheckInMs: SETTLE_MS });
  expect(list.isUpToDate()).toBe(false);
  clock.nowMs += SETTLE_MS;
  expect(await list.next(never)).toEqual({ input: nodes(3), recheckInMs: undefined });
  list.markServed(nodes(3));
  expect(list.isUpToDate()).toBe(true);
  see(nodes(2));
  expect(list.isUpToDate()).toBe(false);
});

test('a held list is logged, and the served one stays', async () => {
  const { clock, list, see, logged } = createList();
  see(nodes(3));
  clock.nowMs += SETTLE_MS;
  await list.next(never);
  list.markServed(nodes(3));
  see([]);
  clock.nowMs += SETTLE_MS;
  expect((await list.next(never)).input).toEqual(nodes(3));
  expect(logged).toContain('list-held');
});

test('a list that is observed while lost servers are probed is not forgotten', async () => {
  const { clock, list, see } = createList();
  const here = nodes(3).map((node, index) => ({ ...node, address: `127.0.0.${index + 1}`, port: 1 }));
  see(here);
  clock.nowMs += SETTLE_MS;
  await list.next(never);
  list.markServed(here);
  see(here.slice(0, 1));
  clock.nowMs += SETTLE_MS;
  const decided = list.next(never);
  see(here);
  await decided;
  expect(list.isUpToDate()).toBe(true);
});
