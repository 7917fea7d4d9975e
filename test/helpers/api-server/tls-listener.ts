import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

export interface ListenSettings {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
  readonly host?: string;
  readonly port?: number;
  readonly plainHttp?: boolean;
}

export interface Listener {
  readonly port: number;
  readonly connections: () => number;
  readonly accepted: () => number;
  readonly apply: (faults: { readonly refuse: boolean; readonly reset: boolean }) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The first byte of every TLS connection: a handshake record (RFC 8446, 5.1). */
const tlsHandshake = 0x16;

/** The TCP socket below each TLS socket: only the former can send a reset. */
const rawSockets = new WeakMap<object, Socket>();

export function rawSocketOf(socket: Socket): Socket {
  return rawSockets.get(socket) ?? socket;
}

/**
 * One port for TLS and, if wanted, plain HTTP: the first byte decides. Keeps its port across `refuse`: no other test
 * gets a port that it has picked itself.
 */
export async function listen(settings: ListenSettings, handler: RequestListener): Promise<Listener> {
  const { cert, key, ca } = settings;
  const tls = createHttpsServer(
    { cert, key, requestCert: true, rejectUnauthorized: false, ...(ca === undefined ? {} : { ca }) },
    handler,
  );
  const plain = createHttpServer(handler);
  // Like a real server, which keeps idle connections for minutes.
  tls.keepAliveTimeout = 180_000;
  plain.keepAliveTimeout = 180_000;
  tls.on('tlsClientError', (_error, socket) => socket.destroy());
  const open = new Set<Socket>();
  let isResetting = false;
  let accepted = 0;
  // A TLS socket does not expose the socket below it; the peer port links the two.
  tls.on('secureConnection', (socket) => {
    for (const raw of open) if (raw.remotePort === socket.remotePort) rawSockets.set(socket, raw);
  });

  const server = createServer((socket) => {
    accepted += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    if (isResetting) socket.resetAndDestroy();
    socket.once('data', (first) => {
      socket.pause();
      const isTls = first[0] === tlsHandshake;
      if (!isTls && settings.plainHttp !== true) {
        socket.destroy();
        return;
      }
      socket.unshift(first);
      (isTls ? tls : plain).emit('connection', socket);
      if (!isTls) socket.resume();
    });
  });
  const dropAll = (how: 'reset' | 'close') => {
    for (const socket of open) how === 'reset' ? socket.resetAndDestroy() : socket.destroy();
  };
  const host = settings.host ?? '127.0.0.1';
  const port = await bind(server, settings.port || (await freePort()), host);
  return {
    port,
    connections: () => open.size,
    accepted: () => accepted,
    apply: async ({ refuse, reset }) => {
      isResetting = reset;
      if (reset) dropAll('reset');
      if (refuse) await closeServer(server, () => dropAll('close'));
      else if (!server.listening) await bind(server, port, host);
    },
    stop: async () => {
      await closeServer(server, () => dropAll('close'));
    },
  };
}

async function bind(server: Server, port: number, host: string): Promise<number> {
  server.listen({ port, host, backlog: 1_024 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Cannot listen: no port was given');
  return address.port;
}

async function closeServer(server: Server, dropConnections: () => void): Promise<void> {
  if (!server.listening) return dropConnections();
  const closed = once(server, 'close');
  server.close();
  dropConnections();
  await closed;
}
