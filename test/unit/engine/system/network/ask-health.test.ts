import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askHealth } from '../../../../../src/engine/system/network/ask-health.ts';

const signal = new AbortController().signal;

test('only a 2xx from the path, in time, is healthy', async () => {
  let status = 200;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (status !== 0) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = { secure: false, host: '127.0.0.1', port, path: '/healthz/ready?a=b' };
  const ask = async (timeoutMs = 10_000) => (await askHealth(url, timeoutMs, signal)).ok;
  const detail = async (timeoutMs = 10_000) => (await askHealth(url, timeoutMs, signal)).detail;
  expect(await ask()).toBe(true);
  for (status of [301, 404, 503]) expect(await ask()).toBe(false);
  status = 204;
  expect(await ask()).toBe(true);
  expect((await askHealth({ ...url, secure: true }, 10_000, signal)).ok).toBe(false);
  expect(await detail()).toBe('HTTP 204');
  status = 0;
  expect(await ask(50)).toBe(false);
  expect(await detail(50)).toBe('no answer within 50 ms');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await ask()).toBe(false);
  expect(await detail()).toBe('nothing listens there');
  expect(new Set(asked)).toEqual(new Set(['/healthz/ready?a=b']));
});

test('an answer whose body never ends counts as an answer', async () => {
  const server = createServer((_, response) => void response.writeHead(200).write('on and on'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = { secure: false, host: '127.0.0.1', port, path: '/' };
  expect((await askHealth(url, 10_000, signal)).ok).toBe(true);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
