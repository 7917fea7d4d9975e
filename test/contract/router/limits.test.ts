import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { getTls, type Pod, startPod } from '../../helpers/router/pods.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { get, startRouter } from '../../helpers/router/running-router.ts';

/** The observable contract of a router: limits on clients and time, on a real HAProxy. */
const open: Disposable[] = [];
afterAll(() => {
  for (const each of open) each[Symbol.dispose]();
});

/** A client that has received its response and keeps its connection open. */
async function idleClient(port: number, host: string): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false });
  open.push({ [Symbol.dispose]: () => socket.destroy() });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await new Promise((resolve, reject) => socket.once('data', resolve).once('error', reject));
  return socket;
}

test('new TLS clients are answered while idle ones hold nearly half of the connections', async () => {
  const pod: Pod = await startPod('a');
  open.push(pod);
  const route = routeBackend({ host: 'edge.test', kind: 'edge', servers: [pod.server] });
  await using router = await startRouter([route], {
    ROUTER_MAX_CONNECTIONS: '100',
    // Idle connections stay open.
    ROUTER_DEFAULT_CLIENT_TIMEOUT: '1h',
  });
  const idle = Array.from({ length: 45 }, () => idleClient(router.httpsPort, 'edge.test'));
  await Promise.all(idle);
  const found = Array.from({ length: 60 }, () => getTls(router.httpsPort, 'edge.test', 'edge.test', '/'));
  expect((await Promise.all(found)).map(({ status }) => status)).toEqual(found.map(() => 200));
  const rows = (await router.ask('show stat')).split('\n').map((row) => row.split(','));
  const limit = (name: string) => rows.find(([proxy, part]) => proxy === name && part === 'FRONTEND')?.[6];
  expect([limit('public'), limit('public_ssl')]).toEqual(['100', '100']);
});

test("a route's longer timeout overrides the router's, also with TLS", async () => {
  const pod = await startPod('a');
  const slow = createServer((_request, response) => setTimeout(() => response.end('late'), 1_500));
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const { port } = slow.address() as AddressInfo;
  open.push(pod, { [Symbol.dispose]: () => slow.close() });
  const route = routeBackend({
    host: 'slow.test',
    kind: 'edge',
    servers: [{ ...pod.server, port }],
    timeouts: { serverMs: 60_000 },
  });
  await using router = await startRouter([route], {
    ROUTER_DEFAULT_TUNNEL_TIMEOUT: '200ms',
    ROUTER_DEFAULT_SERVER_TIMEOUT: '200ms',
  });
  const answer = await getTls(router.httpsPort, 'slow.test', 'slow.test', '/');
  expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('late')]);
});

test("18: a silent pod gets 504 at its own route's timeout, and other routes are unaffected", async () => {
  const pod = await startPod('a');
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as AddressInfo;
  const close = () => {
    mute.closeAllConnections();
    mute.close();
  };
  open.push(pod, { [Symbol.dispose]: close });
  const route = (host: string, serverMs: number) =>
    routeBackend({ host, key: `n:${host}`, servers: [{ ...pod.server, port }], timeouts: { serverMs } });
  await using router = await startRouter([route('short.test', 200), route('long.test', 600_000)], {
    ROUTER_DEFAULT_SERVER_TIMEOUT: '10m',
  });
  let isLongCut = false;
  void get(router.httpPort, 'long.test', '/').then(
    () => (isLongCut = true),
    () => undefined,
  );
  expect((await get(router.httpPort, 'short.test', '/')).status).toBe(504);
  expect(isLongCut).toBe(false);
});
