import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askHealth } from '../../../../../src/engine/system/network/ask-health.ts';
import { askPage } from '../../../../../src/engine/system/network/ask-page.ts';
import { patientTimeout, patientTimer } from '../../../../../src/engine/system/time/patient-timeout.ts';
import { stall } from '../../../../helpers/stall.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port };
}

test('received data is read before a timeout fires, however late both are noticed', async () => {
  const { server, port } = await listening();
  const client = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void client.destroy());
  const [peer] = (await once(server, 'connection')) as [Socket];
  const order: string[] = [];
  client.on('data', () => order.push('data'));
  const timeout = patientTimeout(20);
  timeout.addEventListener('abort', () => order.push('timeout'));
  peer.end('answer');
  stall(200);
  await once(timeout, 'abort');
  expect(order).toEqual(['data', 'timeout']);
  expect(timeout.reason).toMatchObject({ name: 'TimeoutError' });
});

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Answers, and then blocks everything for far longer than any caller waits. */
async function answersIntoAStall(): Promise<number> {
  const { server, port } = await listening();
  server.on('connection', (socket) => socket.once('data', () => socket.end(answer, () => stall(500))));
  return port;
}

test('a request whose answer arrived during a stall succeeds', async () => {
  const port = await answersIntoAStall();
  const { signal } = new AbortController();
  const url = { secure: false, host: '127.0.0.1', port, path: '/healthz' };
  expect(await askHealth(url, 400, signal)).toEqual({ ok: true, detail: 'HTTP 200', status: 200 });
  expect(await askPage({ host: '127.0.0.1', port }, '/status', { timeoutMs: 400 })).toMatchObject({
    kind: 'answered',
    status: 200,
  });
});

test('a timer restarted or cleared while received data is read does not fire', async () => {
  const { server, port } = await listening();
  const fired: string[] = [];
  const client = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void client.destroy());
  const [peer] = (await once(server, 'connection')) as [Socket];
  const ended = patientTimer(20, () => fired.push('ended'));
  const restarted = patientTimer(20, () => fired.push('restarted'));
  const other = patientTimer(20, () => fired.push('other'));
  client.on('data', () => {
    fired.push('data');
    ended[Symbol.dispose]();
    restarted.restart();
  });
  onTestFinished(() => {
    for (const timer of [restarted, other]) timer[Symbol.dispose]();
  });
  peer.write('bookmark');
  stall(200);
  await waitFor('two of them to have fired', () => fired.length >= 3);
  expect(fired).toEqual(['data', 'other', 'restarted']);
});
