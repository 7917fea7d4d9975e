import { afterEach, beforeEach, expect, test } from 'vitest';
import { followResources } from '../../../../src/engine/kube/resource-view.ts';
import type { ListWatchTiming } from '../../../../src/engine/kube/timing.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { routerResources } from '../../../../src/router/follow/router-resources.ts';
import { status } from '../../../helpers/api-server/answers.ts';
import type { ApiServer } from '../../../helpers/api-server/api-server.ts';
import { type Faults, noFaults } from '../../../helpers/api-server/faults.ts';
import {
  createTestCluster,
  openTestSession,
  type TestCluster,
} from '../../../helpers/api-server/observing.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let server: ApiServer;
/** The status code of the answers to lists and watches; undefined for normal answers. */
let code: number | undefined;
let router: ReturnType<typeof follow>;

beforeEach(async () => {
  cluster = createTestCluster();
  code = undefined;
  server = await cluster.start({
    instead: () => (code === undefined ? undefined : { code, body: status(code, 'Trouble', 'not now') }),
  });
  cluster.writeKubeconfig(server.url);
});
afterEach(async () => {
  await router.stop();
  await cluster.remove();
});

/** Long enough for a loaded machine to answer, short enough that a silent watch is soon abandoned. */
const timing: Partial<ListWatchTiming> = { requestTimeoutMs: 3_000, watchIdleMs: 1_500, backoffCapMs: 300 };

/** The router's own lists and watches, each followed separately as in the router. */
function follow() {
  const { close, ...session } = openTestSession(cluster);
  const stop = new AbortController();
  const events: LogEvent[] = [];
  const settings = { session, report: (event: LogEvent) => void events.push(event), timing };
  const { routes, endpoints, services, secrets } = routerResources(
    { watchEndpoints: false },
    () => undefined,
  );
  const hear = () => undefined;
  const followed = {
    routes: followResources([routes], settings, hear, stop.signal),
    endpoints: followResources([endpoints], settings, hear, stop.signal),
    services: followResources([services], settings, hear, stop.signal),
    secrets: followResources([secrets], settings, hear, stop.signal),
  };
  return {
    events,
    /** The known routes and slices; undefined until every kind has been listed. */
    known: () => {
      if (Object.values(followed).some(({ objects }) => objects() === undefined)) return undefined;
      const routesKnown = followed.routes.objects()?.map(({ name }) => name) ?? [];
      return [...routesKnown.sort(), `${followed.endpoints.objects()?.length} slices`].join(' ');
    },
    stop: async () => {
      stop.abort();
      await Promise.all(Object.values(followed).map(({ ended }) => ended));
      close();
    },
  };
}

const add = (name: string): void => {
  cluster.store.set(plainRoute(name, `${name}.test`));
  cluster.store.set(slice(name, [0]));
};

const expired = `${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired', 'too old resource version') })}\n`;

type Fault = { readonly faults: Partial<Faults> } | { readonly code: number };

/** The last field says whether the fault is reported: an expired watch is simply listed again. */
const faults: readonly (readonly [string, Fault, boolean])[] = [
  ['stalls', { faults: { stall: true } }, true],
  ['sends nothing more on its watches', { faults: { silentWatch: true } }, true],
  ['resets every connection', { faults: { reset: true } }, true],
  ['cuts an event in half', { faults: { resetMidLine: true } }, true],
  ['sends garbage on its watch', { faults: { nextWatchBytes: '{"type":"ADDED","object":\u0000}\n' } }, true],
  ['says that a watch has expired', { faults: { nextWatchBytes: expired } }, false],
  ['asks for patience with 429', { faults: { retryAfterSeconds: 1, silentWatch: true } }, true],
  ...[409, 410, 422, 500].map((each): [string, Fault, boolean] => [
    `answers lists and watches with ${each}`,
    { code: each },
    true,
  ]),
];

test.each(faults)(
  'an API server that %s delays a new route and removes no known one',
  async (_, fault, isTold) => {
    add('one');
    router = follow();
    await waitFor('everything to be listed', () => router.known() === 'one 1 slices');
    await waitFor('the watches', () => server.served().watches === 4);
    if ('code' in fault) {
      code = fault.code;
      // Open watches continue until they are cut.
      await server.setFaults({ reset: true });
      await server.setFaults(noFaults);
    } else await server.setFaults(fault.faults);
    add('two');
    if (isTold) await waitFor('a report', () => router.events.some(({ level }) => level === 'warn'));
    expect(router.known()).toMatch(/^one (?:two )?[12] slices$/);
    code = undefined;
    await server.setFaults(noFaults);
    await waitFor('the new route and its pods', () => router.known() === 'one two 2 slices');
  },
);

test('nothing is known until every kind has been listed, so that no route is served without its pods', async () => {
  add('one');
  code = 422;
  router = follow();
  await waitFor('a report', () => router.events.some(({ level }) => level === 'warn'));
  expect(router.known()).toBeUndefined();
  code = undefined;
  await waitFor('everything to be listed', () => router.known() === 'one 1 slices');
});
