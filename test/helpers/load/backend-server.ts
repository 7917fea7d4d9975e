import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface Backend {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface BackendServer {
  start(): Promise<void>;
  /** Stops listening and resets every connection, as a machine does that loses its power. */
  stop(): Promise<void>;
}

const TLS_HANDSHAKE = 0x16;

/**
 * An API server's stand-in: says its name to every plain request, one byte a second for ever at `/stream`, and on the
 * same port 200 to whatever comes over TLS, which is what HAProxy's `check-ssl` sends.
 */
export function createBackend(
  backend: Backend,
  identity: { readonly cert: string; readonly key: string },
): BackendServer {
  const connections = new Set<Socket>();
  const streams = new Set<Socket>();
  const answer = answerWith(backend.name);
  const secure = createTlsServer(identity, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answerWith('ok')));
  });
  secure.on('tlsClientError', () => {});

  const plain = createTcpServer({ noDelay: true }, (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket) && streams.delete(socket));
    socket.on('error', () => {});
    socket.once('data', (first) => {
      if (first[0] === TLS_HANDSHAKE) {
        // Flowing, it would give the bytes away before the TLS side listens.
        socket.pause();
        socket.unshift(first);
        secure.emit('connection', socket);
      } else if (first.toString('latin1').startsWith('GET /stream ')) {
        streams.add(socket);
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n.');
      } else socket.end(answer);
    });
  });
  setInterval(() => {
    for (const socket of streams) socket.write('.');
  }, 1_000).unref();

  return {
    start: () =>
      new Promise((resolve, reject) => {
        plain.once('error', reject);
        plain.listen({ host: backend.host, port: backend.port, backlog: 1_024 }, () => {
          plain.off('error', reject);
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        plain.close(() => resolve());
        for (const socket of connections) socket.resetAndDestroy();
      }),
  };
}

function answerWith(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}
