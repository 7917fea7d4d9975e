import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type AskLimits, ask } from '../../../../../src/engine/system/network/ask.ts';

/** The result of `ask` for a server that sends this answer. */
async function asked(answer: RequestListener, limits: Partial<AskLimits> = {}) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const question = { host: '127.0.0.1', port, path: '/a?b=c', tls: undefined };
    return await ask(question, { timeoutMs: 10_000, maxBytes: 10, ...limits });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('an answer has its status, headers and body', async () => {
  const answer = await asked((request, response) => response.writeHead(404, { a: 'b' }).end(request.url));
  expect(answer).toMatchObject({ kind: 'answered', status: 404, headers: { a: 'b' } });
  expect(answer).toMatchObject({ body: Buffer.from('/a?b=c') });
});

test('an answer longer than the limit is refused', async () => {
  const answer = await asked((_, response) => response.end('12345678901'));
  expect(answer).toMatchObject({ kind: 'silent', reason: 'its answer is longer than 10 bytes' });
});

test('a connection that ends before or within the answer is silent', async () => {
  const before = await asked((request) => request.socket.destroy());
  expect(before).toMatchObject({ kind: 'silent', error: { code: 'ECONNRESET' } });
  const within = await asked((request, response) => {
    response.writeHead(200, { 'content-length': 8 }).write('1', () => request.socket.destroy());
  });
  expect(within).toMatchObject({ kind: 'silent', error: { code: 'ECONNRESET' } });
});

test('an unrequested upgrade is silent', async () => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
  const answer = await asked((request) => request.socket.write(head));
  expect(answer).toMatchObject({ kind: 'silent' });
});

test('the timeout applies until the last byte', async () => {
  const answer = await asked((_, response) => response.writeHead(200).write('1'), { timeoutMs: 300 });
  expect(answer).toMatchObject({ kind: 'silent', reason: 'no answer within 300 ms' });
});

test('a request that cannot be sent is silent, with its error', async () => {
  const answer = await ask({ host: '127.0.0.1', port: 1, path: '/ ', tls: undefined }, { timeoutMs: 1_000 });
  expect(answer).toMatchObject({ kind: 'silent' });
});
