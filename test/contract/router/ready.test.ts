import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { haproxyProblem } from '../../../src/router/serve/haproxy-problem.ts';
import { routerCommand } from '../../../src/router/settings/router-command.ts';
import { freePort } from '../../helpers/free-port.ts';
import { type RunningRouter, startRouter } from '../../helpers/router/running-router.ts';

type Env = Readonly<Record<string, string>>;

/** The router's verdict on this HAProxy. */
async function troubleOf({ folder, httpPort }: RunningRouter, env: Env = {}, withinMs = 20_000) {
  const settings = settingsTyped(
    routerCommand,
    [],
    {
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      HAWSER_STATS_SOCKET: join(folder, 'stats.sock'),
      ROUTER_SERVICE_HTTP_PORT: `${httpPort}`,
      ...env,
    },
    () => undefined,
  );
  return await haproxyProblem(settings, withinMs);
}

test.each<[string, Env]>([
  ['as it is shipped', {}],
  ['with the PROXY protocol', { ROUTER_USE_PROXY_PROTOCOL: 'true' }],
  ['with IPv6', { ROUTER_IP_V4_V6_MODE: 'v6' }],
  ['with IPv6 and the PROXY protocol', { ROUTER_IP_V4_V6_MODE: 'v6', ROUTER_USE_PROXY_PROTOCOL: 'true' }],
])('a serving HAProxy is ready: %s', async (_, env) => {
  await using router = await startRouter([], env);
  expect(await troubleOf(router, env)).toBeUndefined();
});

test('an HAProxy that answers only on its stats socket is not ready', async () => {
  const elsewhere = await freePort();
  await using router = await startRouter([], {}, (text) =>
    text.replace(/^( {2}bind 0\.0\.0\.0:)\d+/m, `$1${elsewhere}`),
  );
  expect(await troubleOf(router)).toBe(
    `HAProxy does not answer on port ${router.httpPort}: nothing listens there`,
  );
  const page = (path: string) => ({ ROUTER_METRICS_READY_HTTP_URL: `http://localhost:${elsewhere}${path}` });
  expect(await troubleOf(router, page('/_______internal_router_healthz'))).toBeUndefined();
  expect(await troubleOf(router, page('/'))).toBe(
    `/ of port ${elsewhere} answers with HTTP 503, expected 2xx`,
  );
});

test("an HAProxy that accepts no connection is not ready, within a probe's timeout", async () => {
  await using router = await startRouter([], {}, (text) =>
    text.replace(/^( {2}bind 0\.0\.0\.0:\d+)/m, '$1 accept-proxy'),
  );
  expect(await troubleOf(router, {}, 300)).toMatch(/^HAProxy does not answer on port \d+: /);
});

test('a template without the page is ready once its port answers', async () => {
  await using router = await startRouter([], {}, (text) => text.replace(/^ {2}monitor-uri .*$/m, ''));
  expect(await troubleOf(router)).toBeUndefined();
});

test('an HAProxy without its stats socket is not ready', async () => {
  await using router = await startRouter([]);
  expect(await troubleOf(router, { HAWSER_STATS_SOCKET: join(router.folder, 'none.sock') })).toBe(
    'HAProxy does not answer on its stats socket',
  );
});
