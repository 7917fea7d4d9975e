import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { stall } from '../../../helpers/stall.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching;
const one = ['cp-1=10.0.0.1'];
const two = ['cp-1=10.0.0.1', 'cp-2=10.0.0.2'];
const neverPoll = { checkInterval: 600_000 };

beforeEach(() => {
  cluster = createTestCluster();
  cluster.store.set(node('cp-1', ['10.0.0.1']));
});

afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

async function watchOneServer(settings = {}) {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, settings);
  await seen.sees(one);
  await waitFor('both watches', () => server.served().watches === 2);
  return server;
}

test('a half-open watch that has gone silent is abandoned and replaced', async () => {
  const server = await watchOneServer({ ...neverPoll, timing: { watchIdleMs: 800 } });
  const then = seen.since();
  await server.setFaults({ silentWatch: true });
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await then.reports('watch-interrupted');
  await server.setFaults({ silentWatch: false });
  await seen.sees(two);
  await then.reports('watch-recovered');
});

test('a poll finds the change that a half-open watch misses', async () => {
  const server = await watchOneServer({ checkInterval: 1_000 });
  await server.setFaults({ silentWatch: true });
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two, 'poll');
  expect(seen.latest('watch')).toEqual(one);
});

test('bookmarks keep a quiet watch alive', async () => {
  const server = await cluster.start({ bookmarkMs: 100 });
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { ...neverPoll, timing: { watchIdleMs: 1_000 } });
  await seen.sees(one);
  const silence = { watchIdleMs: 1_000 };
  const startedMs = performance.now();
  await waitFor('three times the idle limit', () => performance.now() - startedMs > silence.watchIdleMs * 3);
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two);
  expect(seen.events).toEqual([]);
  expect(server.requests.filter((path) => path.includes('watch=1'))).toHaveLength(2);
});

test('a list that arrived while this process was stalled is accepted, and the watches continue', async () => {
  let isArmed = false;
  const server = await cluster.start({
    authorize: ({ path }) => {
      if (isArmed && !path.includes('watch=1')) {
        isArmed = false;
        stall(2_500);
      }
      return 'allowed';
    },
  });
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { checkInterval: 2_000 });
  await waitFor('both watches', () => server.served().watches === 2);
  const watches = () => server.requests.filter((path) => path.includes('watch=1')).length;
  const before = { observed: seen.observations.length, told: seen.events.length, watches: watches() };
  isArmed = true;
  await waitFor('the end of the stall', () => !isArmed);
  await waitFor('what the poll led to', () => seen.observations.length > before.observed);
  expect(seen.observations[before.observed]).toMatchObject({ kind: 'servers', via: 'poll' });
  expect(seen.events.slice(before.told)).toEqual([]);
  expect(watches()).toBe(before.watches);
});

test('410 triggers a new list and removes what vanished meanwhile', async () => {
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, neverPoll);
  await seen.sees(two);
  await waitFor('both watches', () => server.served().watches === 2);
  await server.setFaults({ silentWatch: true });
  cluster.store.delete('Node', 'cp-2');
  cluster.store.expire();
  await server.setFaults({ silentWatch: false, nextWatchBytes: expiredEvent });
  cluster.store.set(node('cp-1', ['10.0.0.11']));
  await seen.sees(['cp-1=10.0.0.11']);
});
const expiredEvent = `${JSON.stringify({
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (215)' },
})}\n`;

test('a connection reset in the middle of a line is replaced, and the half line is discarded', async () => {
  const server = await watchOneServer(neverPoll);
  const then = seen.since();
  await server.setFaults({ resetMidLine: true });
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two);
  expect((await then.reports('watch-interrupted')).level).toBe('warn');
  await then.reports('watch-recovered');
});

test.each([
  ['a line of invalid JSON', 'garbage\n', /not valid JSON/],
  ['JSON that is no event', '[1,2]\n', /a line is not a watch event/],
  ['an endless line', 'x'.repeat(11_000_000), /a line has \d+ bytes, the limit maxLineBytes is 10000000/],
])('%s in a watch triggers a new list', async (_what, nextWatchBytes, error) => {
  const server = await watchOneServer(neverPoll);
  const then = seen.since();
  await server.setFaults({ nextWatchBytes });
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two);
  await then.reports('watch-interrupted', error);
});

const lists = (server: ApiServer) => server.requests.filter((path) => !path.includes('watch=1'));

test("watches that end with the server's timeout resume silently, without a new list", async () => {
  const server = await watchOneServer({ ...neverPoll, timing: { watchTimeoutSeconds: 1 } });
  await waitFor('new watches', () => server.requests.filter((path) => path.includes('watch=1')).length >= 4);
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two);
  expect(seen.events).toEqual([]);
  expect(lists(server)).toHaveLength(2);
});

test('a resource is listed again once its last list is old, even if its watch is alive', async () => {
  const server = await watchOneServer({ ...neverPoll, timing: { resyncMs: 1_000 } });
  await waitFor('new lists', () => lists(server).length >= 4);
  expect(seen.events).toEqual([]);
});

test('resetting a kept-alive connection again and again, idle and in the middle of answers, does no harm', async () => {
  const server = await watchOneServer({ checkInterval: 10 });
  for (let round = 0; round < 20; round += 1) {
    const served = server.served().requests;
    await waitFor('more polls', () => server.served().requests > served + 4);
    await server.setFaults({ reset: true });
    await server.setFaults({ reset: false });
  }
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await seen.sees(two);
});

test('an API server that answers 429 gets no request during its Retry-After, or until the kubeconfig is replaced', async () => {
  const server = await watchOneServer({ checkInterval: 1_000 });
  const then = seen.since();
  await server.setFaults({ retryAfterSeconds: 30 });
  await then.reports('api-unavailable', /HTTP 429 Too many requests, please try again later/);
  const refusedAtMs = performance.now();
  const refused = server.requests.length;
  await waitFor('the time of some polls', () => performance.now() - refusedAtMs > 3_000);
  expect(server.requests).toHaveLength(refused);
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  await server.setFaults({ retryAfterSeconds: 0 });
  cluster.writeKubeconfig(server.url);
  await seen.sees(two, 'poll');
  await then.reports('api-recovered');
});

test.each([
  ['HTTP 500', { error500: true }, { error500: false }],
  ['a hung API', { stall: true }, { stall: false }],
  ['resets', { reset: true }, { reset: false }],
  ['a refused port', { refuse: true }, { refuse: false }],
])('%s for several polls is reported once, followed by one recovery', async (_what, fault, repaired) => {
  const server = await watchOneServer({ checkInterval: 1_000, timing: { requestTimeoutMs: 2_000 } });
  const then = seen.since();
  await server.setFaults(fault);
  await then.reports('api-unavailable');
  cluster.store.set(node('cp-2', ['10.0.0.2']));
  const outageStartMs = performance.now();
  await waitFor('several more polls', () => performance.now() - outageStartMs > 5_000);
  expect(then.reported('api-unavailable')).toHaveLength(1);
  await server.setFaults(repaired);
  await seen.sees(two, 'poll');
  await waitFor('both watches again', () => server.served().watches === 2);
  await then.reports('api-recovered');
  cluster.store.delete('Node', 'cp-2');
  // Through the watch, or through a poll that overtakes it.
  await seen.sees(one);
});
