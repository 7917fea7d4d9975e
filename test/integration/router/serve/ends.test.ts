import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLoad } from '../../../helpers/load/start-load.ts';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** How a router begins and ends. */
let live: LiveRouter;

beforeAll(async () => {
  live = await startLiveRouter({
    objects: [plainRoute('web', 'web.test'), slice('web', [0])],
    startApi: false,
    // As long as a busy machine needs to ask three times in it.
    env: { ROUTER_GRACEFUL_SHUTDOWN_DELAY: '10s' },
  });
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

test('20: the router is alive before it is ready, ready once it serves, and unready from SIGTERM on while it still serves', async () => {
  const [node] = live.cluster.nodes;
  if (node === undefined) throw new Error('no node');
  await live.says('router-started');
  expect([await live.page('/healthz'), await live.page('/healthz/ready')]).toEqual([200, 503]);
  expect(await live.ask('web.test')).toMatchObject({ status: 0 });

  await live.cluster.startServer(node);
  await live.says('configuration-reloaded');
  expect([await live.page('/healthz'), await live.page('/healthz/ready')]).toEqual([200, 200]);
  expect(await live.ask('web.test')).toMatchObject({ body: 'a' });

  live.router.kill('SIGTERM');
  await live.says('stopping');
  expect([await live.page('/healthz'), await live.page('/healthz/ready')]).toEqual([200, 503]);
  expect(await live.ask('web.test')).toMatchObject({ body: 'a' });
});

test('24: the router exits 0 after its delay; the supervisor drains, and exits 1 if it had to cut connections', async () => {
  const load = await startLoad(live.cluster.namespace.prefix, {
    ...{ host: live.host, hostHeader: 'web.test', port: live.httpPort, ratePerSecond: 0, timeoutMs: 1_000 },
    ...{ streams: 1, streamRampMs: 1, servers: [], probe: null },
  });
  await waitFor('the stream', async () => ((await live.supervisor.status()).current?.sessions ?? 0) > 0);
  const [code] = live.router.exitCode === null ? await once(live.router, 'exit') : [live.router.exitCode];
  expect(code).toBe(0);
  live.supervisor.kill('SIGTERM');
  expect(await live.supervisor.ended).toBe(1);
  expect((await load.stop()).streams.cut).toBe(1);
});
