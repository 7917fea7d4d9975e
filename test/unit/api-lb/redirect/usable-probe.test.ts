import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { probeUsable } from '../../../../src/api-lb/redirect/usable.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: RequestListener): Promise<number> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

it.each([
  [200, 'ok'],
  [503, 'failed'],
  [404, 'unknown'],
])('reads status %i of /haproxy_monitor as "%s"', async (status, sample) => {
  const port = await listen((request, response) => {
    response.writeHead(request.url === '/haproxy_monitor' ? status : 400).end('a body');
  });
  expect(await probeUsable(port, { timeoutMs: 5_000 })).toBe(sample);
});

it('reports a refused connection as failed', async () => {
  const port = await listen(() => {});
  server?.close();
  expect(await probeUsable(port, { timeoutMs: 5_000 })).toBe('failed');
});

it('reports an HAProxy that accepts a connection but does not answer as failed', async () => {
  const port = await listen(() => {});
  expect(await probeUsable(port, { timeoutMs: 50 })).toBe('failed');
});

it('an aborted probe has no result', async () => {
  const stop = new AbortController();
  const port = await listen(() => stop.abort());
  expect(await probeUsable(port, { timeoutMs: 5_000, signal: stop.signal })).toBe('unknown');
});
