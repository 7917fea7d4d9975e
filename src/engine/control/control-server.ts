import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { claimSocket } from './claim-socket.ts';
import { type AnswerLine, serveConnection } from './control-connection.ts';

/** Limits the descriptors that clients can use; further clients are refused. */
const MAX_CLIENTS = 512;

type ServeOutcome =
  | { readonly kind: 'serving'; readonly close: () => Promise<void> }
  | { readonly kind: 'in-use' };

/** How often to check that clients still find the socket. */
const LOOK_EVERY_MS = 1_000;

/**
 * Serves the line protocol on a unix socket (`socketMode`). A removed socket file is created again within two seconds; one that another server
 * replaced is not touched until that server is gone. `close` stops listening, removes the socket file, sends pending answers, and drops the
 * clients.
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
      // The directory may be missing for a while, too.
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
  // Half-open: a client that closed its sending side still gets its answer (echo reload | socat).
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    clients.add(socket);
    socket.once('close', () => clients.delete(socket));
    serveConnection(socket, answerLine);
  });
  server.maxConnections = MAX_CLIENTS;
  // A failed accept (EMFILE) must not become an uncaught exception; the next one may succeed.
  server.on('error', () => undefined);
  return server;
}

/** `server.close` waits for its clients, and an idle one would block it forever. */
async function closeAll(clients: ReadonlySet<Socket>, release: () => Promise<void>): Promise<void> {
  const released = release();
  // A fresh answer reaches its socket only after a few microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  for (const client of clients) client.end(() => client.destroy());
  const unread = setTimeout(() => {
    for (const client of clients) client.destroy();
  }, 200);
  await released;
  clearTimeout(unread);
}
