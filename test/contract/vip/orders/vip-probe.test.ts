import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { startVipProbe } from '../../../../src/vip/orders/vip-probe.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { stall } from '../../../helpers/stall.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

async function listening(onConnection: (socket: Socket) => void): Promise<Server & AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, {
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  });
}

async function probed(
  server: Server,
  how: 'https' | 'tcp',
  { count = 3, everyMs = 10, timeoutMs = 200 } = {},
): Promise<readonly (string | null)[]> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const probe = startVipProbe({ host: '127.0.0.1', port, how, everyMs, timeoutMs });
  await waitFor('some attempts', () => probe.attempts().length >= count);
  await probe.stop();
  return probe.attempts().map(({ failure }) => failure);
}

test('an established connection is a success for tcp, but not for https', async () => {
  await using server = await listening(() => undefined);
  expect(new Set(await probed(server, 'tcp'))).toEqual(new Set([null]));
  expect(new Set(await probed(server, 'https'))).toEqual(new Set(['timeout']));
});

test('an answer that arrived while this process was stalled is accepted', async () => {
  const dir = testFolder();
  const server = createTlsServer(createAuthority(dir).issue({ commonName: 'api' }), (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      stall(1_200);
    });
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await probed(server, 'https', { count: 1, everyMs: 60_000, timeoutMs: 1_000 })).toEqual([null]);
});

test('a server that hangs up or does not speak TLS has not answered', async () => {
  await using hangsUp = await listening((socket) => socket.destroy());
  for (const failure of await probed(hangsUp, 'https')) expect(failure).not.toBeNull();
  await using plain = await listening((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  for (const failure of await probed(plain, 'https')) expect(failure).not.toBeNull();
});

test('without a listener each attempt fails, and none starts after the stop', async () => {
  const plan = {
    host: '127.0.0.1',
    port: await freePort(),
    how: 'https',
    everyMs: 10,
    timeoutMs: 200,
  } as const;
  const probe = startVipProbe(plan);
  await waitFor('some attempts', () => probe.attempts().length >= 3);
  await probe.stop();
  const { length } = probe.attempts();
  expect(new Set(probe.attempts().map(({ failure }) => failure))).toEqual(new Set(['ECONNREFUSED']));
  const other = startVipProbe(plan);
  await waitFor('another one to have tried', () => other.attempts().length >= 3);
  await other.stop();
  expect(probe.attempts()).toHaveLength(length);
});
