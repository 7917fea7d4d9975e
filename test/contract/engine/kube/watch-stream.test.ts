import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readWatch } from '../../../../src/engine/kube/watch-stream.ts';
import { stall } from '../../../helpers/stall.ts';

/** Both ends of a connection. */
async function connected(): Promise<{ readonly client: Socket; readonly peer: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = connect({ port: address.port, host: '127.0.0.1' });
  const [peer] = (await once(server, 'connection')) as [Socket];
  server.close();
  onTestFinished(() => {
    for (const socket of [client, peer]) socket.destroy();
  });
  return { client, peer };
}

function bookmark(resourceVersion: string): string {
  return `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } })}\n`;
}

const names = { project: () => 'a name' };

test('a bookmark that arrived while this process was stalled keeps a watch alive', async () => {
  const { client, peer } = await connected();
  const messages = readWatch(client, names, { idleMs: 400, maxLineBytes: 1_000 });
  const next = messages.next();
  peer.write(bookmark('7'));
  stall(500);
  expect((await next).value).toEqual({ kind: 'reached', resourceVersion: '7' });
  peer.end(bookmark('8'));
  expect((await messages.next()).value).toEqual({ kind: 'reached', resourceVersion: '8' });
  expect((await messages.next()).done).toBe(true);
});

test('a silent watch is abandoned', async () => {
  const { client } = await connected();
  const messages = readWatch(client, names, { idleMs: 50, maxLineBytes: 1_000 });
  await expect(messages.next()).rejects.toThrow('silent for 50 ms, expected bookmarks');
  expect(client.destroyed).toBe(true);
});
