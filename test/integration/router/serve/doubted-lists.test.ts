import { afterEach, beforeEach, expect, test } from 'vitest';
import { followResources } from '../../../../src/engine/kube/resource-view.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { routerResources } from '../../../../src/router/follow/router-resources.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { noFaults } from '../../../helpers/api-server/faults.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
} from '../../../helpers/api-server/observing.ts';
import { plainRoute } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let server: ApiServer;
let router: ReturnType<typeof follow>;

beforeEach(async () => {
  cluster = createTestCluster();
  server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  for (const name of ['a', 'b', 'c']) cluster.store.set(plainRoute(name, `${name}.test`));
  router = follow();
  await waitFor('the routes', () => router.known() === 'a b c');
  await waitFor('the watch', () => server.served().watches === 1);
});
afterEach(async () => {
  await router.stop();
  await cluster.remove();
});

function follow() {
  const { close, ...session } = openTestSession(cluster);
  const stop = new AbortController();
  const events: LogEvent[] = [];
  const timing = { requestTimeoutMs: 3_000, backoffCapMs: 300, doubtPauseMs: 1_500 };
  const { routes } = routerResources({ watchEndpoints: false }, () => undefined);
  const report = (event: LogEvent) => void events.push(event);
  const settings = { session, report, timing };
  const followed = followResources([routes], settings, () => undefined, stop.signal);
  return {
    known: () =>
      followed
        .objects()
        ?.map(({ name }) => name)
        .sort()
        .join(' '),
    said: () => events.map(({ event }) => event).filter((event) => event.startsWith('list-')),
    stop: async () => {
      stop.abort();
      await followed.ended;
      close();
    },
  };
}

test('a single empty list of Routes does not remove any route (M3)', async () => {
  await server.setFaults({ lie: 'empty' });
  await waitFor('the doubt', () => router.said().includes('list-doubted'));
  expect(router.known()).toBe('a b c');
  await server.setFaults(noFaults);
  await waitFor('the second list', () => router.said().includes('list-refuted'));
  expect(router.known()).toBe('a b c');
});

test('routes deleted through a watch are gone at once, even if it is all of them', async () => {
  for (const name of ['a', 'b', 'c']) cluster.store.delete('Route', name, 'shop');
  await waitFor('no route', () => router.known() === '');
  expect(router.said()).toEqual([]);
});

test('the accepted list includes changes made while an earlier list was doubted', async () => {
  await server.setFaults({ lie: 'empty' });
  await waitFor('the doubt', () => router.said().includes('list-doubted'));
  cluster.store.set(plainRoute('d', 'd.test'));
  await server.setFaults(noFaults);
  await waitFor('the new route', () => router.known() === 'a b c d');
  cluster.store.set(plainRoute('e', 'e.test'));
  await waitFor('the watch after it', () => router.known() === 'a b c d e');
});
