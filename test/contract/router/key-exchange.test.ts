import { once } from 'node:events';
import { connect, DEFAULT_MAX_VERSION } from 'node:tls';
import { expect, test } from 'vitest';
import { startRouter } from '../../helpers/router/running-router.ts';

/** `TLSv1.3`, or the error. */
async function handshake(port: number, group: string): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ecdhCurve: group,
    minVersion: DEFAULT_MAX_VERSION,
  });
  try {
    await once(socket, 'secureConnect');
    return socket.getProtocol() ?? '';
  } catch (error) {
    return String(error);
  } finally {
    socket.destroy();
  }
}

test('a client that offers only ffdhe8192, which costs HAProxy 120 ms, gets no handshake', async () => {
  await using router = await startRouter([], {});
  for (const group of ['X25519', 'P-256', 'P-384', 'P-521'])
    expect([group, await handshake(router.httpsPort, group)]).toEqual([group, 'TLSv1.3']);
  for (const group of ['ffdhe2048', 'ffdhe8192'])
    expect(await handshake(router.httpsPort, group)).toMatch(/handshake failure/);
});
