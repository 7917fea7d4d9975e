import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ListWatchTiming } from '../../../../src/engine/kube/timing.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchCluster,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { times, waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let server: ApiServer;
let seen: Watching;

beforeEach(async () => {
  cluster = createTestCluster();
  server = await cluster.start();
  cluster.writeKubeconfig(server.url);
});

afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

const two = ['cp-1=10.0.0.1', 'cp-2=10.0.0.2'];
const fill = (count: number) => {
  for (let index = 1; index <= count; index += 1)
    cluster.store.set(node(`cp-${index}`, [`10.0.${index >> 8}.${index & 255}`]));
};
const watch = (timing: Partial<ListWatchTiming>, checkInterval = 60_000) => {
  seen = watchNodes(cluster, { checkInterval, timing });
};

test('the previous list is kept while there are more objects than maxObjects, and the limit is reported', async () => {
  fill(2);
  watch({ maxObjects: 2 }, 1_000);
  await seen.sees(two, 'poll');
  const then = seen.since();
  cluster.store.set(node('cp-3', ['10.0.0.3']));
  await then.reports('api-unavailable', /the list has 3 objects, the limit maxObjects is 2/);
  await then.reports('watch-interrupted', /there are 3 objects, the limit maxObjects is 2/);
  cluster.store.delete('Node', 'cp-3');
  await then.reports('api-recovered');
  await seen.sees(two);
});

test('objects that exceed maxPageBytes together are listed in smaller pages, which grow again after them', async () => {
  fill(60);
  for (const index of [17, 18, 19, 20, 21])
    cluster.store.set({ ...node(`cp-${index}`, [`10.0.0.${index}`]), spec: { taints: 'x'.repeat(15_000) } });
  seen = watchCluster('all-nodes', cluster, {
    checkInterval: 60_000,
    timing: { maxPageBytes: 40_000, pageLimit: 32 },
  });
  await times('server', () => seen.latest() ?? [], 60);
  const limits = server.requests.flatMap((path) => /[?&]limit=(\d+)/.exec(path)?.[1] ?? []);
  // In name order, the 9th to the 11th, the 13th and the 14th are large.
  expect(limits.map(Number)).toEqual([32, 16, 8, 16, 8, 4, 2, 4, 2, 4, 8, 16, 32]);
  expect(seen.events.filter(({ event }) => event === 'api-unavailable')).toEqual([]);
});

test('a watch continues while the polls of a long list are far apart', async () => {
  fill(2);
  seen = watchCluster('all-nodes', cluster, {
    checkInterval: 1_000,
    timing: { pollPauseMsPerObject: 100_000 },
  });
  await seen.sees(two, 'poll');
  const polls = () =>
    seen.observations.filter((each) => each.kind === 'servers' && each.via === 'poll').length;
  for (const last of [12, 22, 32, 42, 52]) {
    cluster.store.set(node('cp-2', [`10.0.0.${last}`]));
    await seen.sees(['cp-1=10.0.0.1', `cp-2=10.0.0.${last}`], 'watch');
  }
  expect(polls()).toBe(1);
});

test("a page over maxPageBytes is reported with the limit, and the server's other watches continue", async () => {
  const heavy = node('cp-1', ['10.0.0.1']);
  cluster.store.set(heavy);
  cluster.store.set(node('cp-2', ['10.0.0.2'], { 'node-role.kubernetes.io/master': '' }));
  watch({ maxPageBytes: 4_000 }, 1_000);
  await seen.sees(two, 'poll');
  await waitFor('both watches', () => server.served().watches === 2);
  const then = seen.since();
  cluster.store.set({ ...heavy, spec: { taints: 'x'.repeat(4_000) } });
  await then.reports('api-unavailable', /its answer has more than 4000 bytes, the limit maxPageBytes/);
  expect(seen.latest()).toEqual(two);
  cluster.store.set(node('cp-2', ['10.0.0.22'], { 'node-role.kubernetes.io/master': '' }));
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.22'], 'watch');
  const interrupted = then.reported('watch-interrupted');
  expect(interrupted.filter((event) => String(event['error']).includes('maxPageBytes'))).toEqual([]);
});

test('a list with more pages than maxPages is given up and reported', async () => {
  fill(11);
  watch({ pageLimit: 1, maxPages: 10 });
  await seen.since().reports('api-unavailable', /the list has 11 pages, the limit maxPages is 10/);
});

test.each([
  ['objects', { maxObjects: 2 }],
  ['bytes', { maxPageBytes: 100, pageLimit: 1 }],
])(
  'a list with too many %s is requested once from each API server, and again after a long pause',
  async (_what, limit) => {
    fill(3);
    const other = await cluster.start();
    seen = watchCluster('all-nodes', cluster, {
      // This interval is also a poll's time limit, and a late answer does not count as too large.
      checkInterval: 2_000,
      fallbacks: [`127.0.0.1:${other.port}`],
      timing: { ...limit, tooLargePauseMs: 600_000 },
    });
    const asked = () => [server, other].map(({ requests }) => requests.length);
    // One request from the watch loop, one from the poll loop.
    await waitFor('both loops to ask both servers', () => asked().every((count) => count >= 2));
    let looks = 0;
    const look = () => {
      looks += 1;
      return looks === 20;
    };
    await waitFor('twenty looks at them', look, undefined, 250);
    expect(asked()).toEqual([2, 2]);
  },
);
