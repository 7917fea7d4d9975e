import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askHealth } from '../../../src/system/ask-health.ts';

const signal = new AbortController().signal;

test('only a 2xx from its path, in time, is healthy', async () => {
  let status = 200;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (status !== 0) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = { secure: false, host: '127.0.0.1', port, path: '/healthz/ready?a=b' };
  const ask = (timeoutMs = 10_000) => askHealth(url, timeoutMs, signal);
  expect(await ask()).toBe(true);
  for (status of [301, 404, 503]) expect(await ask()).toBe(false);
  status = 204;
  expect(await ask()).toBe(true);
  expect(await askHealth({ ...url, secure: true }, 10_000, signal)).toBe(false);
  status = 0;
  expect(await ask(50)).toBe(false);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await ask()).toBe(false);
  expect(new Set(asked)).toEqual(new Set(['/healthz/ready?a=b']));
});

test('an answer without an end is an answer', async () => {
  const server = createServer((_, response) => void response.writeHead(200).write('on and on'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await askHealth({ secure: false, host: '127.0.0.1', port, path: '/' }, 10_000, signal)).toBe(true);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
