import { type Stats, statSync } from 'node:fs';
import { connect } from 'node:net';
import { codeOf, messageOf } from '../system/errors.ts';
import { patientTimer } from '../system/time/patient-timeout.ts';
import { type Answer, decodeAnswer } from './answer.ts';

export type ControlRequest = 'reload' | 'status' | 'check' | 'stop' | 'start' | `apply ${string}`;

export type RequestOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Either nothing listens there (`message` is the system's error), or no answer arrived. Then the request may have been carried out. */
  | { readonly kind: 'unreachable'; readonly message: string };

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Sends one request and waits up to `timeoutMs` for its answer. Never rejects. The sending side is closed at once, like in `echo reload | socat -
 * UNIX:...`, because some daemons read to the end.
 */
export function request(
  socketPath: string,
  message: ControlRequest,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<RequestOutcome> {
  return new Promise((resolve) => {
    let connected = false;
    let received = '';
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    const settle = (outcome: RequestOutcome): void => {
      timer[Symbol.dispose]();
      options.signal?.removeEventListener('abort', abort);
      socket.destroy();
      resolve(outcome);
    };
    const abort = (): void => settle({ kind: 'unreachable', message: 'stopped before an answer arrived' });
    const timer = patientTimer(options.timeoutMs, () => {
      const late = connected ? 'no answer arrived in time' : 'the connection was not accepted in time';
      settle({ kind: 'unreachable', message: late });
    });
    options.signal?.addEventListener('abort', abort);
    if (options.signal?.aborted) return abort();

    socket.setEncoding('utf8');
    socket.once('connect', () => {
      connected = true;
      socket.end(`${message}\n`);
    });
    socket.on('data', (text) => {
      const end = text.indexOf('\n');
      received += end === -1 ? text : text.slice(0, end);
      if (end !== -1) settle(outcomeOf(received));
      else if (received.length > MAX_ANSWER_BYTES)
        settle({ kind: 'unreachable', message: `the answer is longer than ${MAX_ANSWER_BYTES} bytes` });
    });
    socket.once('end', () => settle(outcomeOf(received)));
    socket.once('error', (error) => settle({ kind: 'unreachable', message: reasonFor(error, socketPath) }));
  });
}

/** Explains EACCES. The usual cause is a patch that gave the supervisor's container another user or group; the monitor has no DAC_OVERRIDE. */
function reasonFor(error: unknown, path: string): string {
  const stats = codeOf(error) === 'EACCES' ? statOf(path) : undefined;
  if (stats === undefined) return messageOf(error);
  const socket = `the socket belongs to user ${stats.uid} and group ${stats.gid} and has mode 0${(stats.mode & 0o777).toString(8)}`;
  const own = `this process is user ${process.getuid?.()} in group ${process.getgid?.()}`;
  return `${messageOf(error)}: ${socket}, and ${own}; expected one group (runAsGroup) for both containers of the pod`;
}

/** Returns undefined if the directory is not accessible either. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function outcomeOf(line: string): RequestOutcome {
  const answer = decodeAnswer(line);
  if (answer !== undefined) return { kind: 'answered', answer };
  if (line === '') return { kind: 'unreachable', message: 'the connection was closed without an answer' };
  return {
    kind: 'unreachable',
    message: `the answer is "${line.slice(0, 80)}", expected a line of JSON with "ok"`,
  };
}
