import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startLoad } from '../../../helpers/load/start-load.ts';
import { startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const objects = [plainRoute('web', 'web.test'), slice('web', [0])];

test('20: the router is alive before it is ready, ready once it serves, and unready after SIGTERM although it still serves', async () => {
  // Longer than any test: the shutdown has its own test.
  const env = { ROUTER_GRACEFUL_SHUTDOWN_DELAY: '10m' };
  await using live = await startLiveRouter({ objects, startApi: false, env });
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
  await using live = await startLiveRouter({ objects, env: { ROUTER_GRACEFUL_SHUTDOWN_DELAY: '1s' } });
  await live.answers('web.test', 'a');
  const load = await startLoad(live.cluster.namespace.prefix, {
    host: live.host,
    hostHeader: 'web.test',
    port: live.httpPort,
    ratePerSecond: 0,
    timeoutMs: 1_000,
    streams: 1,
    streamRampMs: 1,
    servers: [],
    probe: null,
  });
  await waitFor('the stream', async () => ((await live.supervisor.status()).current?.sessions ?? 0) > 0);
  live.router.kill('SIGTERM');
  const [code] = live.router.exitCode === null ? await once(live.router, 'exit') : [live.router.exitCode];
  expect(code).toBe(0);
  live.supervisor.kill('SIGTERM');
  expect(await live.supervisor.ended).toBe(1);
  expect((await load.stop()).streams.cut).toBe(1);
});
