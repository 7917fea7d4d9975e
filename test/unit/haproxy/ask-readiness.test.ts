import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askReadiness } from '../../../src/haproxy/liveness-watch.ts';

const signal = new AbortController().signal;

test('only a 200 on /haproxy_ready, in time, is ready', async () => {
  let status = 200;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (status !== 0) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (timeoutMs = 2_000) => askReadiness({ port, host: '127.0.0.1', timeoutMs }, signal);
  expect(await ask()).toBe(true);
  status = 503;
  expect(await ask()).toBe(false);
  status = 0;
  expect(await ask(50)).toBe(false);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await ask()).toBe(false);
  expect(asked).toEqual(['/haproxy_ready', '/haproxy_ready', '/haproxy_ready']);
});
