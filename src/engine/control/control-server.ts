import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { claimSocket } from './claim-socket.ts';
import { type AnswerLine, serveConnection } from './control-connection.ts';

/** Bounds the descriptors that clients can take; more are turned away until some leave. */
const MAX_CLIENTS = 512;

type ServeOutcome =
  | { readonly kind: 'serving'; readonly close: () => Promise<void> }
  | { readonly kind: 'in-use' };

/** How often to check that clients still find the socket. */
const LOOK_EVERY_MS = 1_000;

/**
 * Serves the line protocol on a unix socket (`socketMode`). A socket file that was removed is made again within a second or
 * two; one that another server replaced is left alone until that server is gone. `close` stops listening, removes the
 * socket file, lets answers that are under way leave, and drops the clients.
 */
export async function serveControlSocket(
  path: string,
  answerLine: AnswerLine,
  log: Log = () => undefined,
): Promise<ServeOutcome> {
  const clients = new Set<Socket>();
  let claim = await claimSocket(createControlServer(clients, answerLine), path);
  if (claim.kind === 'in-use') return claim;
  const ended = new AbortController();
  const keep = async (): Promise<void> => {
    let lost = false;
    while (!ended.signal.aborted) {
      await sleep(LOOK_EVERY_MS, ended.signal, { ref: false });
      if (ended.signal.aborted || (claim.kind === 'claimed' && (await claim.isInPlace()))) continue;
      if (!lost) log({ event: 'control-socket-lost', level: 'error', path });
      lost = true;
      // The directory may be gone too, and may come back.
      const again = await claimSocket(createControlServer(clients, answerLine), path).catch(() => undefined);
      if (again?.kind !== 'claimed') continue;
      if (claim.kind === 'claimed') void claim.release();
      claim = again;
      lost = false;
      log({ event: 'control-socket-back', level: 'info', path });
    }
  };
  const keeping = keep();
  const close = async (): Promise<void> => {
    ended.abort();
    await keeping;
    if (claim.kind === 'claimed') await closeAll(clients, claim.release);
  };
  return { kind: 'serving', close };
}

function createControlServer(clients: Set<Socket>, answerLine: AnswerLine): Server {
  // Half-open: an answer must still reach a client that has closed its sending side (echo reload | socat).
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    clients.add(socket);
    socket.once('close', () => clients.delete(socket));
    serveConnection(socket, answerLine);
  });
  server.maxConnections = MAX_CLIENTS;
  // An accept that fails (EMFILE) must not become an uncaught exception; the next one may succeed.
  server.on('error', () => undefined);
  return server;
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
