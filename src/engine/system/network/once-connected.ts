import type { Socket } from 'node:net';
import { hostPort } from './address-text.ts';

/**
 * Calls `connected` once a TCP socket is connected to a peer other than itself.
 * If nothing listens on a port in the ephemeral range, the kernel may assign it to the very client that connects to it from the same address.
 * That client is then connected to itself, and no server can bind the port while the connection lives, and for a minute after a normal close
 * (TIME_WAIT). It is reset, which leaves nothing behind, and `error` reports a refused connection.
 */
export function onceConnected(socket: Socket, connected: () => void): void {
  socket.once('connect', () => {
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    if (localPort !== remotePort || localAddress !== remoteAddress) return connected();
    const place = hostPort({ host: remoteAddress ?? '', port: remotePort ?? 0 });
    socket.resetAndDestroy();
    const error = new Error(`connect ECONNREFUSED ${place}`);
    socket.emit('error', Object.assign(error, { code: 'ECONNREFUSED' }));
  });
}
