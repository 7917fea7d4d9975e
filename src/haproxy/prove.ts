import { connect, type Socket } from 'node:net';
import { childrenOf, isAlive, type ProcessId } from '../engine/system/process/processes.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import { infoNumber } from './parse-replies.ts';

/** How long one round keeps the old generation's answers open before its other clients are admitted again. */
const ROUND_MS = 250;
const MAX_HELD = 64;

/**
 * Resolves with the new master's workers once one of them has answered on the stats socket, or with undefined if `signal` aborts or the master
 * ends first.
 *
 * Old and new generation accept on the same descriptor, and an idle old worker is usually faster. So each connection that the old worker
 * answers is kept open: its stats socket accepts 10 at a time (`stats maxconn`), so in the end only the new worker can accept one.
 */
export async function proveServing(
  statsSocket: string,
  master: ProcessId,
  signal: AbortSignal,
): Promise<readonly ProcessId[] | undefined> {
  while (!signal.aborted && isAlive(master)) {
    // The listeners are bound before the worker is forked, so no new process can answer before that.
    const workers = childrenOf(master);
    if (workers.length > 0 && (await answersWithin(statsSocket, workers, signal))) return workers;
    await sleep(2, signal);
  }
  return undefined;
}

async function answersWithin(
  path: string,
  workers: readonly ProcessId[],
  signal: AbortSignal,
): Promise<boolean> {
  const held: Socket[] = [];
  const round = AbortSignal.any([signal, AbortSignal.timeout(ROUND_MS)]);
  try {
    while (!round.aborted && held.length < MAX_HELD) {
      const pid = await askPid(path, held, round);
      if (pid === undefined) return false;
      if (workers.some((worker) => worker.pid === pid)) return true;
    }
    return false;
  } finally {
    for (const socket of held) socket.destroy();
  }
}

/** The pid of the process that answers, on a connection that stays open. Undefined without an answer. */
function askPid(path: string, held: Socket[], signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(path);
    held.push(socket);
    const giveUp = (): void => resolve(undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.setEncoding('utf8');
    // "prompt" keeps the connection open after the answer.
    socket.once('connect', () => socket.write('prompt\nshow info\n'));
    socket.on('data', (text) => {
      reply += text;
      const pid = infoNumber(reply, 'Pid');
      if (pid !== undefined) resolve(pid);
    });
    socket.once('error', giveUp);
    socket.once('close', giveUp);
  });
}
