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

test('a change is as old as when it was first seen', async () => {
  const { clock, list, see } = createList();
  see(nodes(3));
  clock.nowMs = 700;
  await list.next(never);
  expect(list.markServed(nodes(3))).toBe(700);
  expect(list.markServed(nodes(3))).toBe(undefined);
});

test('a list that never stopped changing is as old as its first change, and not as its last one', async () => {
  const { clock, list, see } = createList();
  for (let seen = 1; seen <= 20; seen += 1) {
    see(nodes(seen));
    clock.nowMs += 300;
  }
  const { input } = await list.next(never);
  expect(input).toHaveLength(20);
  expect(list.markServed(nodes(20))).toBe(6_000);
});

test('a list that returns to the served one is wanted at once if the one between failed', async () => {
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

test('a list that still changes is due again once it has settled, and is up to date once served', async () => {
  const { clock, list, see } = createList();
  see(nodes(3));
  expect(await list.next(never)).toEqual({ input: undefined, lookAgainInMs: SETTLE_MS });
  expect(list.isUpToDate()).toBe(false);
  clock.nowMs += SETTLE_MS;
  expect(await list.next(never)).toEqual({ input: nodes(3), lookAgainInMs: undefined });
  list.markServed(nodes(3));
  expect(list.isUpToDate()).toBe(true);
  see(nodes(2));
  expect(list.isUpToDate()).toBe(false);
});

test('a list that is held back is logged, and the served one stays', async () => {
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
