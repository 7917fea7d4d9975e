import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { type Answer, encodeAnswer } from './answer.ts';
import { claimSocket } from './claim-socket.ts';
import { createLineSplitter, MAX_LINE_BYTES, type SplitLine } from './line-splitter.ts';

/** Limits the descriptors that clients can use. Further clients are refused. */
const MAX_CLIENTS = 512;

type ServeOutcome =
  | { readonly kind: 'serving'; readonly close: () => Promise<void> }
  | { readonly kind: 'in-use' };

/** How often the server checks that clients still reach its socket. */
const CHECK_EVERY_MS = 1_000;

/**
 * Serves the line protocol on a unix socket with the mode `socketMode`. A removed socket file is created again within two seconds. A file that
 * another server put there is not touched until that server is gone. `close` stops listening, removes the socket file, sends pending answers and drops
 * the clients.
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
  const keepInPlace = async (): Promise<void> => {
    let lost = false;
    while (!ended.signal.aborted) {
      await sleep(CHECK_EVERY_MS, ended.signal, { ref: false });
      if (ended.signal.aborted || (claim.kind === 'claimed' && (await claim.isInPlace()))) continue;
      if (!lost) log({ event: 'control-socket-lost', level: 'error', path });
      lost = true;
      // The directory may also be missing for a while.
      const again = await claimSocket(createControlServer(clients, answerLine), path).catch(() => undefined);
      if (again?.kind !== 'claimed') continue;
      if (claim.kind === 'claimed') void claim.release();
      claim = again;
      lost = false;
      log({ event: 'control-socket-back', level: 'info', path });
    }
  };
  const keeping = keepInPlace();
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

/** `server.close` waits for its clients, so an idle client would block it forever. */
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

/** Answers one line. */
export type AnswerLine = (line: string) => Promise<Answer>;

/** Pending requests per client. Further input is read later. */
const MAX_PENDING_REQUESTS = 256;
/** A client that never reads loses answers but keeps its connection, so its next reload is still executed. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** How much of a bad line is quoted. A long answer would count as unread and cost the client later answers. */
const QUOTED_CHARACTERS = 80;

/**
 * Serves one client until it disconnects. Lines are processed as they arrive, so that lines sent together can be coalesced. Answers are sent in the
 * order of the lines. A client that half-closes still gets its answers.
 */
function serveConnection(socket: Socket, answerLine: AnswerLine): void {
  const splitter = createLineSplitter();
  const waiting: SplitLine[] = [];
  let answered: Promise<void> = Promise.resolve();
  let pending = 0;
  let isOver = false;

  const send = (answer: Answer): void => {
    pending -= 1;
    if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(encodeAnswer(answer));
    takeNext();
  };
  const takeNext = (): void => {
    while (pending < MAX_PENDING_REQUESTS) {
      const line = waiting.shift();
      if (line === undefined) break;
      pending += 1;
      const answer = line.kind === 'line' ? answerOrTrouble(line.text, answerLine) : Promise.resolve(tooLong);
      answered = answered.then(() => answer).then(send);
    }
    // One chunk may have thousands of lines. Read no further chunk until the last one has started.
    if (waiting.length > 0) socket.pause();
    else if (socket.isPaused()) socket.resume();
    if (isOver && waiting.length === 0 && pending === 0) socket.end();
  };
  const accept = (lines: readonly SplitLine[]): void => {
    waiting.push(...lines);
    takeNext();
  };

  socket.on('data', (chunk) => {
    accept(splitter.push(chunk));
  });
  socket.on('end', () => {
    isOver = true;
    accept(splitter.end());
  });
  // A vanished client (EPIPE, ECONNRESET) affects only its own connection.
  socket.on('error', () => socket.destroy());
}

/** A failed answer must not cost the client the answers to later lines. */
async function answerOrTrouble(line: string, answerLine: AnswerLine): Promise<Answer> {
  try {
    return await answerLine(line);
  } catch (error) {
    const message = `Cannot answer "${line.slice(0, QUOTED_CHARACTERS)}": ${messageOf(error)}`;
    return { ok: false, stage: 'internal', message };
  }
}

const tooLong: Answer = {
  ok: false,
  stage: 'protocol',
  message: `Cannot read the request: the line is longer than ${MAX_LINE_BYTES} bytes, expected "reload" or "status"`,
};
