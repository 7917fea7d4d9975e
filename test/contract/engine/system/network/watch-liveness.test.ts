import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askHealth } from '../../../../../src/engine/system/network/ask-health.ts';
import { type Liveness, watchLiveness } from '../../../../../src/engine/system/network/watch-liveness.ts';
import { freePort } from '../../../../helpers/free-port.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

let stop: AbortController;
let seen: Liveness[];
let watching: Promise<void>;
let server: Server;
let sockets: Set<Socket>;
/** The connections that carried a request. Polls have one; the held connection has none. */
let asked: WeakSet<Socket>;
let isPolling: boolean;
let polls: number;
let answering: boolean;
let status: number;
let port: number;

async function listen(onPort: number): Promise<void> {
  sockets = new Set();
  asked = new WeakSet();
  answering = true;
  status = 200;
  server = createServer((request, response) => {
    asked.add(request.socket);
    if (answering) response.writeHead(status).end('ok');
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(onPort, '127.0.0.1', resolve));
}

/** Like the kernel when a process dies: closes the listener and every connection together. */
async function die(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
}

beforeEach(async () => {
  stop = new AbortController();
  seen = [];
  polls = 0;
  port = await freePort();
  await listen(port);
  watching = watchLiveness({
    host: '127.0.0.1',
    port,
    ask: async (signal) => {
      isPolling = true;
      const answer = await askHealth({ secure: false, host: '127.0.0.1', port, path: '/' }, 300, signal);
      isPolling = false;
      polls += 1;
      if (answer.ok) return 'good';
      return answer.status === undefined ? 'silent' : 'bad';
    },
    pollEveryMs: 200,
    pollTimeoutMs: 300,
    signal: stop.signal,
    onChange: (liveness) => seen.push(liveness),
  });
  await waitFor('the server to be seen', () => seen.at(-1) === 'serving');
});
afterEach(async () => {
  stop.abort();
  await watching;
  await die();
});

test('a death and a return are reported', async () => {
  await die();
  await waitFor('the death', () => seen.at(-1) === 'dead');
  await listen(port);
  await waitFor('the new life', () => seen.at(-1) === 'serving');
  expect(seen).toEqual(['serving', 'dead', 'serving']);
});

test('connections that close while a process still listens, as in a reload, are not a death', async () => {
  // HAProxy lets a pending request finish. Only the held connection has none.
  const held = () => {
    const idle = [...sockets].filter((socket) => !socket.destroyed && !asked.has(socket));
    return !isPolling && idle.length > 0 && idle;
  };
  for (let reload = 0; reload < 5; reload += 1) {
    const before = polls;
    // Every second poll immediately follows the previous one.
    await waitFor('it to be held for a while', () => reload % 2 === 1 || polls > before);
    for (const socket of await waitFor('a connection that is held', held)) socket.destroy();
  }
  await waitFor('a connection after the last reload', held);
  expect(seen).toEqual(['serving']);
});

test('a program that listens but does not answer hangs until it answers', async () => {
  answering = false;
  await waitFor('the hang', () => seen.at(-1) === 'hung');
  answering = true;
  await waitFor('the recovery', () => seen.at(-1) === 'serving');
});

test('a death during a hang is a death', async () => {
  answering = false;
  await waitFor('the hang', () => seen.at(-1) === 'hung');
  await die();
  await waitFor('the death', () => seen.at(-1) === 'dead');
  expect(seen).toEqual(['serving', 'hung', 'dead']);
  await listen(port);
});

test('a program that reports itself unready is not hung, and serves once it reports ready', async () => {
  status = 503;
  await waitFor('the bad answers', () => seen.at(-1) === 'unready');
  status = 200;
  await waitFor('the recovery', () => seen.at(-1) === 'serving');
  expect(seen).toEqual(['serving', 'unready', 'serving']);
});

test('a program that closes each connection is not dead, and is not polled in a busy loop', async () => {
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    socket.destroy();
  });
  for (const socket of sockets) socket.destroy();
  await waitFor('the bad polls', () => seen.at(-1) === 'hung');
  // Two failed polls take at least 200 ms. In that time a busy loop would make thousands of connections.
  expect(accepted).toBeLessThan(200);
  expect(seen).not.toContain('dead');
});
