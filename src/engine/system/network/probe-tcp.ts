import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../errors.ts';
import { patientTimer } from '../time/patient-timeout.ts';
import { onceConnected } from './once-connected.ts';

/** Each attempt is one SYN: the kernel sends the next one after a second. */
const ATTEMPTS = 4;
const ATTEMPT_MS = 150;
const APART_MS = 50;
const ANSWER_MS = 1_000;

export interface TcpAddress {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What has to answer: the kernel, to SYN, or the process, to the end of our side of a connection. */
export type ProbeDepth = 'connect' | 'answer';

/** `hung`: the kernel accepted every attempt, and the process closed none. */
export type ProbeResult = 'answers' | 'hung' | 'silent';

/**
 * What answers there: within 0.3 s to one of four attempts to connect, and for the depth `answer` within 1 s more. A process
 * that lives closes a connection whose other side has ended; one that is stopped does not, although its kernel accepts.
 * A refused connection is an answer. Nothing is sent, and where the first attempt is answered at once, it stays the only one.
 */
export async function probeTcp(address: TcpAddress, depth: ProbeDepth): Promise<ProbeResult> {
  const end = new AbortController();
  const attempts = Array.from({ length: ATTEMPTS }, async (_, index) => {
    await pause(index * APART_MS, undefined, { signal: end.signal });
    await attempt(address, depth);
  });
  const result = await Promise.any(attempts).then(
    () => 'answers' as const,
    ({ errors }: AggregateError) => (errors.every((error) => error === HUNG) ? 'hung' : 'silent'),
  );
  end.abort();
  return result;
}

const [HUNG, SILENT] = [new Error('hung'), new Error('silent')];

/** Rejects with `HUNG` or `SILENT`. */
function attempt({ host, port }: TcpAddress, depth: ProbeDepth): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host, port, allowHalfOpen: true });
  const settle = (result: ProbeResult): void => {
    connectTimer[Symbol.dispose]();
    answerTimer[Symbol.dispose]();
    socket.destroy();
    if (result === 'answers') resolve();
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
  socket.once('error', (error) =>
    settle(/^(?:ECONNREFUSED|ECONNRESET|EPIPE)$/.test(codeOf(error) ?? '') ? 'answers' : 'silent'),
  );
  return promise;
}
