import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { askPage } from '../../../../../src/engine/system/network/ask-page.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
});

/** A server that answers every request with these pieces and closes the connection. */
async function serve(
  host: string,
  ...answer: readonly string[]
): Promise<{ port: number; asked: () => string }> {
  let asked = '';
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      asked += data;
      if (!asked.endsWith('\r\n\r\n')) return;
      for (const piece of answer) socket.write(piece);
      if (answer.length > 0) socket.end();
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, host, resolve));
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

const patient = { timeoutMs: 20_000 };

test("an answer in pieces is complete, and the request is like a browser's", async () => {
  const { port, asked } = await serve(
    '127.0.0.1',
    'HTTP/1.1 200 OK\r\ncontent-le',
    'ngth: 3\r\n\r\n',
    'é',
    '.',
  );
  const answer = await askPage({ host: '127.0.0.1', port }, '/haproxy_stats;csv', patient);
  expect(answer).toEqual({ kind: 'answered', status: 200, text: 'é.' });
  expect(asked()).toBe(`GET /haproxy_stats;csv HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
});

test('an IPv6 address is in brackets', async () => {
  const { port, asked } = await serve('::1', 'HTTP/1.0 503 No\r\n\r\nno');
  expect(await askPage({ host: '::1', port }, '/', patient)).toEqual({
    kind: 'answered',
    status: 503,
    text: 'no',
  });
  expect(asked()).toContain(`Host: [::1]:${port}\r\n`);
});

test('chunks, which HAProxy sends even to HTTP/1.0 clients, are joined byte by byte', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\né.\r\r\nA;x=y\r\n012345678';
  const { port } = await serve('127.0.0.1', chunked, '9\r\n0\r\n\r\n');
  const answer = await askPage({ host: '127.0.0.1', port }, '/', patient);
  expect(answer).toEqual({ kind: 'answered', status: 200, text: 'é.\r0123456789' });
});

const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

test.each([
  ['half a chunk', `${chunkedHead}9\r\nhalf\r\n`],
  ['a chunk without an end', `${chunkedHead}4\r\nhalf\r\n`],
  ['a chunk without a size', `${chunkedHead}half\r\n0\r\n\r\n`],
  ['half an answer', 'HTTP/1.0 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
  ['no head', 'HTTP/1.0 200 OK\r\n'],
  ['something else', 'SSH-2.0-x\r\n\r\n'],
])('%s is not an answer', async (_, text) => {
  const { port } = await serve('127.0.0.1', text);
  expect(await askPage({ host: '127.0.0.1', port }, '/', patient)).toMatchObject({ kind: 'silent' });
});

test('a silent server, a closed port and an aborted request are distinguished', async () => {
  const { port } = await serve('127.0.0.1');
  const address = { host: '127.0.0.1', port };
  const late = await askPage(address, '/', { timeoutMs: 50 });
  expect(late).toMatchObject({ kind: 'silent', message: 'no answer within 50 ms' });
  const stop = new AbortController();
  const asking = askPage(address, '/', { ...patient, signal: stop.signal });
  stop.abort();
  expect(await asking).toMatchObject({ kind: 'silent' });
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server?.close(resolve));
  expect(await askPage(address, '/', patient)).toEqual({
    kind: 'silent',
    message: 'nothing listens there',
    isTaken: false,
    isCut: false,
  });
});

test('an invalid address is silent', async () => {
  const answer = await askPage({ host: '127.0.0.1', port: 99_999 }, '/', patient);
  expect(answer).toMatchObject({ kind: 'silent', message: expect.stringMatching(/port.*99999/i) });
});
