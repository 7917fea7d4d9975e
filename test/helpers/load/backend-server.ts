import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';

export interface Backend {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Passes TLS connections to another program on this port of the machine; by default the stand-in answers them itself. */
  readonly tlsPort?: number | undefined;
}

export interface BackendServer {
  start(): Promise<void>;
  /** Stops listening and resets every connection, like a machine that loses its power. */
  stop(): Promise<void>;
}

const TLS_HANDSHAKE = 0x16;

/**
 * Stands in for an API server: answers plain requests with its name, and sends one byte a second for ever at `/stream`, a single byte at
 * `/idle`, and as much as is taken at `/bulk`. Over TLS on the same port, such as HAProxy's `check-ssl`, it always answers with its name.
 */
export function createBackend(
  backend: Backend,
  identity: { readonly cert: string; readonly key: string },
  /** A connection ended without sending a byte, as a probe of the supervisor does. */
  onSilent: () => void = () => {},
): BackendServer {
  const connections = new Set<Socket>();
  const secure = createSecure(identity, backend.name);
  const server = createTcpServer({ noDelay: true }, (socket) => {
    connections.add(socket);
    socket.on('close', () => {
      connections.delete(socket);
      if (socket.bytesRead === 0) onSilent();
    });
    socket.on('error', () => {});
    socket.once('data', (first) => serve(socket, first, { secure, ...backend }));
  });
  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: backend.host, port: backend.port, backlog: 1_024 }, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.resetAndDestroy();
      }),
  };
}

/** Never listens: it gets its connections from the plain server on the same port. */
function createSecure(identity: { readonly cert: string; readonly key: string }, name: string): TlsServer {
  const secure = createTlsServer(identity, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answerWith(name)));
  });
  return secure.on('tlsClientError', () => {});
}

function serve(
  socket: Socket,
  first: Buffer,
  backend: Pick<Backend, 'name' | 'tlsPort'> & { readonly secure: TlsServer },
): void {
  if (first[0] === TLS_HANDSHAKE) {
    // In flowing mode the bytes would be lost before the TLS side listens.
    socket.pause();
    socket.unshift(first);
    if (backend.tlsPort === undefined) backend.secure.emit('connection', socket);
    else passOn(socket, backend.tlsPort);
    return;
  }
  const path = first.toString('latin1').split(' ')[1];
  if (path === '/stream') stream(socket);
  else if (path === '/idle') socket.write('.');
  else if (path === '/bulk') send(socket);
  else socket.end(answerWith(backend.name));
}

function passOn(socket: Socket, port: number): void {
  const behind = connect({ host: '127.0.0.1', port });
  behind.on('error', () => {});
  behind.once('close', () => socket.destroy());
  socket.once('close', () => behind.destroy());
  socket.pipe(behind).pipe(socket);
}

function stream(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n.');
  const ticker = setInterval(() => socket.write('.'), 1_000);
  socket.once('close', () => clearInterval(ticker));
}

const PIECE = Buffer.alloc(256 * 1_024);

/** As much as the client takes. */
function send(socket: Socket): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(PIECE));
  };
  socket.on('drain', more);
  more();
}

function answerWith(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}
