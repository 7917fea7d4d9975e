import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import { askObject } from '../../../../src/engine/kube/ask-object.ts';
import type { Resource } from '../../../../src/engine/kube/resource.ts';
import {
  type Following,
  followResources,
  type ResourceEvent,
} from '../../../../src/engine/kube/resource-view.ts';
import type { ListWatchTiming } from '../../../../src/engine/kube/timing.ts';
import type { Log } from '../../../../src/engine/system/log.ts';
import { status } from '../../../helpers/api-server/answers.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { kubernetesSlice, route } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
  testTiming,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const hosted = z.object({ spec: z.object({ host: z.string() }) });
const hostOf = (object: unknown) => {
  const host = hosted.safeParse(object).data?.spec.host;
  return host === 'hidden.example' ? undefined : host;
};
const routes: Resource<string> = {
  what: 'routes',
  apiVersion: 'route.openshift.io/v1',
  plural: 'routes',
  project: hostOf,
};

let cluster: TestCluster;
let session: ReturnType<typeof openTestSession>;
let server: ApiServer;
let stop: AbortController;
let running: readonly Following<unknown>[];

beforeEach(async () => {
  cluster = createTestCluster();
  server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  session = openTestSession(cluster);
  stop = new AbortController();
  running = [];
  for (const name of ['a', 'b', 'c']) cluster.store.set(route('shop', name, `${name}.example`));
  cluster.store.set(route('blog', 'a', 'blog.example'));
});

afterEach(async () => {
  stop.abort();
  session.close();
  await Promise.all(running.map(({ ended }) => ended));
  await cluster.remove();
});

function follow<T>(resource: Resource<T>, timing: Partial<ListWatchTiming> = {}) {
  const received: ResourceEvent[] = [];
  const logged: string[] = [];
  const report: Log = ({ event }) => void logged.push(event);
  const settings = { session, report, timing: { ...testTiming, ...timing } };
  const following = followResources([resource], settings, (each) => received.push(each), stop.signal);
  running = [...running, following];
  const sees = async (expected: readonly T[]) =>
    await waitFor(`${expected}`, () => {
      return JSON.stringify(following.objects()?.toSorted()) === JSON.stringify(expected.toSorted());
    });
  return { following, received, logged, sees };
}

test('objects with the same name in two namespaces are distinct, and a watch alone follows them', async () => {
  const { sees } = follow(routes);
  await sees(['a.example', 'b.example', 'blog.example', 'c.example']);
  await waitFor('the watch', () => server.served().watches === 1);
  cluster.store.set(route('blog', 'a', 'news.example'));
  cluster.store.delete('Route', 'a', 'shop');
  await sees(['b.example', 'c.example', 'news.example']);
  expect(server.requests.filter((path) => !path.includes('watch=1'))).toHaveLength(1);
});

test('fields that the projection drops are not kept, even from an earlier version', async () => {
  cluster.store.set(route('shop', 'b', 'hidden.example'));
  const { sees } = follow(routes);
  await sees(['a.example', 'blog.example', 'c.example']);
  cluster.store.set(route('shop', 'c', 'hidden.example'));
  await sees(['a.example', 'blog.example']);
});

test('selectors and a namespace are part of the request', async () => {
  const { sees } = follow({
    ...routes,
    namespace: 'shop',
    labelSelector: 'app!=c',
    fieldSelector: 'spec.host!=a.example',
  });
  await sees(['b.example']);
});

test('a list whose next page has expired starts again', async () => {
  let pages = 0;
  const other = await cluster.start({
    authorize: ({ path }) => {
      if (path.includes('continue=')) {
        pages += 1;
        if (pages === 1) cluster.store.expire();
      }
      return 'allowed';
    },
  });
  cluster.writeKubeconfig(other.url);
  const { sees, received } = follow(routes, { pageLimit: 3 });
  await sees(['a.example', 'b.example', 'blog.example', 'c.example']);
  expect(pages).toBe(2);
  expect(received).toMatchObject([{ kind: 'objects', via: 'watch' }]);
});

test('several resources share the connections and the failover of one session', async () => {
  cluster.store.set(kubernetesSlice('kubernetes', ['10.0.0.1']));
  const second = await cluster.start();
  session.remember([`127.0.0.1:${second.port}`]);
  const slices: Resource<string> = {
    what: 'slices',
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    project: () => 'a slice',
  };
  const first = follow(routes);
  const other = follow(slices);
  await first.sees(['a.example', 'b.example', 'blog.example', 'c.example']);
  await other.sees(['a slice']);
  await waitFor('both watches', () => server.served().watches === 2);
  // Two watches, and at most as many connections for lists.
  expect(server.served().accepted).toBeLessThanOrEqual(4);
  await server.stop();
  cluster.store.delete('Route', 'a', 'blog');
  await first.sees(['a.example', 'b.example', 'c.example']);
  await waitFor('both watches at the second', () => second.served().watches === 2);
});

test('opening a watch at a server found dead moves to the next base at once', async () => {
  const second = await cluster.start();
  session.remember([`127.0.0.1:${second.port}`]);
  const first = await cluster.start({
    authorize: () => {
      void first.setFaults({ stall: true });
      return 'allowed';
    },
  });
  cluster.writeKubeconfig(first.url);
  const { sees } = follow(routes, { requestTimeoutMs: 600_000 });
  await sees(['a.example', 'b.example', 'blog.example', 'c.example']);
  await waitFor('the watch to be asked for', () => first.served().requests === 2);
  const dead = { kind: 'failure', status: undefined, message: 'connect ECONNREFUSED' } as const;
  const ask = async ({ base }: ApiTarget) => (base.url === first.url ? dead : ({ kind: 'alive' } as const));
  expect(await session.firstAnswer(ask, stop.signal)).toMatchObject({ kind: 'answered' });
  await waitFor('the watch', () => second.served().watches === 1);
});

const writeInVain = () => {
  const path = '/apis/route.openshift.io/v1/namespaces/shop/routes/a';
  return askObject(session, { method: 'PATCH', path, body: {} }, { signal: stop.signal, timeoutMs: 50 });
};

test('a write that gets no answer in time interrupts no watch', async () => {
  const { sees, logged } = follow(routes);
  await waitFor('the watch', () => server.served().watches === 1);
  await server.setFaults({ stallWrites: true });
  expect(await writeInVain()).toMatchObject({ kind: 'failure', status: undefined });
  cluster.store.set(route('shop', 'a', 'news.example'));
  await sees(['b.example', 'blog.example', 'c.example', 'news.example']);
  expect(server.requests.filter((path) => path !== '/version' && !path.includes('watch=1'))).toHaveLength(1);
  expect(logged).toEqual([]);
});

test('a write to an API server that answers nothing ends its watches', async () => {
  const { logged } = follow(routes, { watchIdleMs: 600_000 });
  await waitFor('the watch', () => server.served().watches === 1);
  await server.setFaults({ stall: true });
  expect(await writeInVain()).toMatchObject({ kind: 'failure', status: undefined });
  await waitFor('the end of the watch', () => logged.includes('watch-interrupted'));
});

test('a watch that the server does not end in time is ended, and everything is listed again', async () => {
  await server.setFaults({ silentWatch: true });
  const { sees, logged } = follow(routes, { watchTimeoutSeconds: 1, watchSlackMs: 10, watchIdleMs: 600_000 });
  await waitFor('the watch', () => server.served().watches === 1);
  cluster.store.set(route('shop', 'a', 'news.example'));
  await sees(['b.example', 'blog.example', 'c.example', 'news.example']);
  expect(logged).toContain('watch-interrupted');
});

test('a missing kind has no objects until it exists, and keeps its objects if it vanishes later', async () => {
  let isThere = false;
  const unknown = {
    code: 404,
    body: status(404, 'NotFound', 'the server could not find the requested resource'),
  };
  const other = await cluster.start({ instead: () => (isThere ? undefined : unknown) });
  cluster.writeKubeconfig(other.url);
  const { sees, logged } = follow({ ...routes, mayBeAbsent: true });
  await sees([]);
  const asked = other.requests.length;
  await waitFor('more requests', () => other.requests.length > asked + 2);
  expect(logged).toEqual(['kind-absent']);

  isThere = true;
  await sees(['a.example', 'b.example', 'blog.example', 'c.example']);
  expect(logged).toEqual(['kind-absent', 'kind-found']);
  await waitFor('the watch', () => other.served().watches === 1);

  isThere = false;
  await other.setFaults({ reset: true });
  await other.setFaults({ reset: false });
  await waitFor('the list to be refused', () => logged.includes('api-unavailable'));
  await sees(['a.example', 'b.example', 'blog.example', 'c.example']);
});
