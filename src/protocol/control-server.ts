import { createServer, type Server, type Socket } from 'node:net';
import { claimSocket } from './claim-socket.ts';
import { type AnswerLine, serveConnection } from './control-connection.ts';

/** Bounds the descriptors that clients can take; more are turned away until some leave. */
const MAX_CLIENTS = 512;

export type ServeOutcome =
  | { readonly kind: 'serving'; readonly close: () => Promise<void> }
  | { readonly kind: 'in-use' };

/**
 * Serves the line protocol on a unix socket (mode 0600). `close` stops listening, removes the socket file, lets
 * answers that are under way leave, and drops the clients.
 */
export async function serveControlSocket(path: string, answerLine: AnswerLine): Promise<ServeOutcome> {
  const clients = new Set<Socket>();
  // Half-open: an answer must still reach a client that has closed its sending side (echo reload | socat).
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    clients.add(socket);
    socket.once('close', () => clients.delete(socket));
    serveConnection(socket, answerLine);
  });
  server.maxConnections = MAX_CLIENTS;
  const claim = await claimSocket(server, path);
  if (claim.kind === 'in-use') return claim;
  reportNothing(server);
  return { kind: 'serving', close: () => closeAll(clients, claim.release) };
}

/** An accept that fails (EMFILE) must not become an uncaught exception; the next one may succeed. */
function reportNothing(server: Server): void {
  server.on('error', () => undefined);
}

/** `close` waits for its clients, and an idle one would keep it waiting for ever. */
async function closeAll(clients: ReadonlySet<Socket>, release: () => Promise<void>): Promise<void> {
  const released = release();
  // An answer that was decided just now is a few microtasks away from its socket.
  await new Promise((resolve) => setImmediate(resolve));
  for (const client of clients) client.end(() => client.destroy());
  const unread = setTimeout(() => {
    for (const client of clients) client.destroy();
  }, 200);
  await released;
  clearTimeout(unread);
}
