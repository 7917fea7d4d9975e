import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../errors.ts';
import { patientTimer } from '../time/patient-timeout.ts';
import { hostPort } from './address-text.ts';

/** Each attempt sends one SYN, because the kernel would retransmit only after a second. */
const ATTEMPTS = 4;
const ATTEMPT_MS = 150;
const APART_MS = 50;
const ANSWER_MS = 1_000;

export interface TcpAddress {
  /** An address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What must answer: the kernel to a SYN, or the process to the end of our side of a connection. */
export type ProbeDepth = 'connect' | 'answer';

/** `refused`: the machine answers, but nothing listens. `hung`: the kernel accepted every attempt, but the process closed none. */
export type ProbeResult = 'answers' | 'refused' | 'hung' | 'silent';

/**
 * Probes a TCP address with up to four connection attempts within 0.3 s; the depth `answer` takes up to 1 s more. A live process closes a connection
 * whose peer closed it. A stopped process does not, although its kernel accepts connections. Sends no data. If the first attempt is answered at once,
 * there is no other.
 */
export async function probeTcp(address: TcpAddress, depth: ProbeDepth): Promise<ProbeResult> {
  const end = new AbortController();
  const attempts = Array.from({ length: ATTEMPTS }, async (_, index) => {
    await pause(index * APART_MS, undefined, { signal: end.signal });
    return await attempt(address, depth);
  });
  const result = await Promise.any(attempts).then(
    (answer) => answer,
    ({ errors }: AggregateError) => (errors.every((error) => error === HUNG) ? 'hung' : 'silent'),
  );
  end.abort();
  return result;
}

const HUNG = new Error('hung');
const SILENT = new Error('silent');

/** Rejects with `HUNG` or `SILENT`. */
function attempt({ host, port }: TcpAddress, depth: ProbeDepth): Promise<'answers' | 'refused'> {
  const { promise, resolve, reject } = Promise.withResolvers<'answers' | 'refused'>();
  const socket = connect({ host, port, allowHalfOpen: true });
  const settle = (result: ProbeResult): void => {
    connectTimer[Symbol.dispose]();
    answerTimer[Symbol.dispose]();
    socket.destroy();
    if (result === 'answers' || result === 'refused') resolve(result);
    else reject(result === 'hung' ? HUNG : SILENT);
  };
  const connectTimer = patientTimer(ATTEMPT_MS, () => settle('silent'));
  const answerTimer = patientTimer(ATTEMPT_MS + ANSWER_MS, () => settle('hung'));
  onceConnected(socket, () => {
    connectTimer[Symbol.dispose]();
    if (depth === 'connect') settle('answers');
    else socket.end().resume();
  });
  socket.once('end', () => settle('answers'));
  socket.once('error', (error) => settle(resultOf(codeOf(error))));
  return promise;
}

function resultOf(code: string | undefined): ProbeResult {
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'answers' : 'silent';
}

/**
 * Calls `connected` once a TCP socket is connected to a peer other than itself. If nothing listens on a port of the ephemeral range, the kernel may
 * assign that port to the client that connects to it from the same address. The client is then connected to itself. No server could bind the port
 * while that connection lives, or for a minute after a normal close (TIME_WAIT). So the connection is reset, which leaves nothing behind, and `error`
 * reports a refused connection.
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

/** Whether the host refuses the connection. False if it accepts or does not answer. */
export function refuses({ host, port }: { readonly host: string; readonly port: number }, timeoutMs: number) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port });
  const settle = (isRefused: boolean): void => {
    timer[Symbol.dispose]();
    socket.destroy();
    resolve(isRefused);
  };
  const timer = patientTimer(timeoutMs, () => settle(false));
  onceConnected(socket, () => settle(false));
  socket.once('error', (error) => settle(codeOf(error) === 'ECONNREFUSED'));
  return promise;
}
