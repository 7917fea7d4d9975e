import { expect, test } from 'vitest';
import type { ApiServer } from '../../../../../src/engine/kube/api-server.ts';
import type { Observation } from '../../../../../src/engine/kube/control-plane/source.ts';
import { observeOnce } from '../../../../../src/engine/monitor/servers/observe-once.ts';
import { createServerList } from '../../../../../src/engine/monitor/servers/server-list.ts';
import { createOnce } from '../../../../../src/engine/observe/once.ts';
import { createWake } from '../../../../../src/engine/system/time/wake.ts';

/** Addresses of TEST-NET-1: no probe is answered. */
const servers = (...names: readonly string[]): readonly ApiServer[] =>
  names.map((name, index) => ({ name, address: `192.0.2.${index + 1}`, port: 6443 }));
const told = (...names: readonly string[]): Observation => ({
  kind: 'servers',
  via: 'poll',
  from: 'https://api',
  skipped: [],
  servers: servers(...names),
});

/** The decision about a list, the remarks, and what was saved. */
async function decide(observation: Observation | undefined, lastKnown?: readonly ApiServer[]) {
  const saved: (readonly ApiServer[])[] = [];
  const list = createServerList(
    { settle: 0, config: '/nowhere/haproxy.cfg' },
    { lastKnown, save: (each) => void saved.push(each) },
    { log: () => undefined, once: createOnce() },
  );
  const wake = createWake();
  let hasEnded = false;
  const source = async (stop: AbortSignal): Promise<void> => {
    if (observation !== undefined) {
      list.observe(observation);
      wake.poke();
    }
    await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
    await new Promise((resolve) => setImmediate(resolve));
    hasEnded = true;
  };
  const remarks = await observeOnce('servers', { lists: [list], loops: { source }, wake }, 200);
  expect(hasEnded).toBe(true);
  const { input } = await list.next(new AbortController().signal);
  expect(saved).toEqual([]);
  return { names: input?.map(({ name }) => name), remarks: remarks() };
}

test("the API's list is used at once, without a remark", async () => {
  expect(await decide(told('a', 'b'), servers('a'))).toEqual({ names: ['a', 'b'], remarks: [] });
});

test('if the loss guard holds a list, the last served one is used', async () => {
  const { names, remarks } = await decide(told('a'), servers('a', 'b', 'c'));
  expect(names).toEqual(['a', 'b', 'c']);
  expect(remarks).toEqual([
    "the API's list of servers is held back: polls-disagree: b, c; the last served list is used",
  ]);
});

test('an empty list results in nothing to serve if no list was served before', async () => {
  expect(await decide(told())).toEqual({
    names: undefined,
    remarks: ["the API's list of servers is held back: empty-list"],
  });
});

test('without an API the last served list is used', async () => {
  const message = 'connection refused';
  expect(await decide({ kind: 'unavailable', message }, servers('a'))).toEqual({
    names: ['a'],
    remarks: ['no list of servers from the API: connection refused; the last served list is used'],
  });
});

test('an API that does not answer in time is unavailable', async () => {
  expect(await decide(undefined, servers('a'))).toEqual({
    names: ['a'],
    remarks: [
      'no list of servers from the API: no API server answered within 200 ms; the last served list is used',
    ],
  });
});
