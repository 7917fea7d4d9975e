import type { Server, Socket } from 'node:net';

interface ServerPlaces {
  readonly connections: number;
  /** Which connection is dropped at the limit. `serveEndpoint` says why the oldest one may be. */
  readonly whenFull: 'newest-goes' | 'oldest-goes';
}

/**
 * Lets a server of any protocol listen until `signal` aborts, which also ends its connections. Resolves once the server listens. Rejects with the
 * system's error if the address is in use or not on this machine.
 */
export async function serveUntil(
  server: Server,
  address: { readonly host: string; readonly port: number },
  { connections, whenFull }: ServerPlaces,
  signal: AbortSignal,
): Promise<void> {
  const open = new Set<Socket>();
  if (whenFull === 'newest-goes') server.maxConnections = connections;
  server.prependListener('connection', (socket: Socket) => {
    const [oldest] = open;
    if (whenFull === 'oldest-goes' && oldest !== undefined && open.size >= connections) {
      // The "close" event fires later than the next connection of a burst.
      open.delete(oldest);
      oldest.destroy();
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  // An error such as too many open files. Clients try again.
  server.on('error', () => undefined);
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
}
