import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { stall } from '../../helpers/stall.ts';
import { testFolder } from '../../helpers/test-folder.ts';

async function listening(onCommand: (socket: Socket) => void): Promise<string> {
  const dir = testFolder();
  const path = join(dir, 'stats.sock');
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    onTestFinished(() => void socket.destroy());
    socket.once('data', () => onCommand(socket));
  }).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return path;
}

test('a reply that arrived while this process was stalled is accepted', async () => {
  const path = await listening((socket) => socket.end('1\n# be_id\n', () => stall(500)));
  expect(await askRuntimeApi(path, 'show servers state', 400)).toBe('1\n# be_id\n');
});

test('no reply, or a partial one, is undefined', async () => {
  const mute = await listening(() => undefined);
  expect(await askRuntimeApi(mute, 'show servers state', 50)).toBeUndefined();
  const ended = await listening((socket) => socket.end());
  expect(await askRuntimeApi(ended, 'set server api/a weight 1', 5_000)).toBeUndefined();
  const halting = await listening((socket) => socket.write('1\n# be_id'));
  expect(await askRuntimeApi(halting, 'show servers state', 50)).toBeUndefined();
});
