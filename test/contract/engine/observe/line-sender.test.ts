import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createLineSender } from '../../../../src/engine/observe/line-sender.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** A database that receives lines, and a program's sender. */
async function createScene(maxLines = 100) {
  const received: string[] = [];
  const server = createServer(async (socket) => {
    socket.on('error', () => undefined);
    received.push(...(await text(socket).catch(() => '')).split('\n').filter((line) => line !== ''));
  });
  const port = await freePort();
  await listen(server, port);
  const counts = { sent: 0, dropped: 0 };
  const troubles: (string | undefined)[] = [];
  const asked = { times: 0, isThere: true };
  const stop = new AbortController();
  const sender = createLineSender({
    target: () => {
      asked.times += 1;
      return asked.isThere ? { host: '127.0.0.1', port } : undefined;
    },
    maxLines,
    onSent: (lines) => (counts.sent += lines),
    onDropped: (lines) => (counts.dropped += lines),
    onTrouble: (message) => troubles.push(message),
  });
  const ended = sender.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
    server.close();
  });
  return { server, port, sender, received, counts, troubles, asked };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

test('lines arrive in order', async () => {
  const { sender, received, counts } = await createScene();
  sender.send(['put a', 'put b']);
  sender.send(['put c']);
  await waitFor('the lines', () => counts.sent === 3 && received.length >= 3);
  expect(received).toEqual(['put a', 'put b', 'put c']);
});

test('undelivered lines are sent later, and beyond the limit the oldest are dropped', async () => {
  const { server, port, sender, received, counts, troubles } = await createScene(3);
  server.close();
  await once(server, 'close');
  sender.send(['put 1', 'put 2']);
  await waitFor('the trouble', () => troubles.length > 0);
  expect(troubles[0]).toContain(`"127.0.0.1:${port}": ECONNREFUSED`);
  sender.send(['put 3', 'put 4', 'put 5']);
  expect(counts.dropped).toBe(2);
  await listen(server, port);
  await waitFor('the lines', () => counts.sent === 3 && received.length >= 3);
  expect(received).toEqual(['put 3', 'put 4', 'put 5']);
  expect(troubles.at(-1)).toBeUndefined();
});

test('a failing database that is no longer configured is not retried endlessly', async () => {
  const { server, sender, troubles, asked } = await createScene();
  server.close();
  await once(server, 'close');
  sender.send(['put 1']);
  await waitFor('the trouble', () => troubles.length > 0);
  asked.isThere = false;
  const before = asked.times;
  await waitFor('the next look', () => asked.times > before);
  // Each poke adds one poll. Without the pause there would be thousands more.
  const pokes = 20;
  for (let poke = 1; poke <= pokes; poke += 1) {
    sender.send([]);
    await waitFor('a look', () => asked.times > before + poke);
  }
  expect(asked.times).toBe(before + 1 + pokes);
});
