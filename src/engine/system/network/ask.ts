import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { type RequestOptions, request as requestSecure } from 'node:https';
import { patientTimer, timeoutReason } from '../time/patient-timeout.ts';
import { onceConnected } from './probe-tcp.ts';

/** How the server's certificate is verified. */
type Verification = Pick<RequestOptions, 'ca' | 'rejectUnauthorized'>;

/** For liveness probes, which send no secret and accept any certificate. */
export const unverified: Verification = { rejectUnauthorized: false };

export interface Question {
  /** An address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Includes the query. */
  readonly path: string;
  /** Undefined for plain HTTP. */
  readonly tls: Verification | undefined;
}

export interface AskLimits {
  /** Time from the call to the last byte read. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Maximum size of the body. If undefined, only the head of the answer is read. */
  readonly maxBytes?: number;
}

type HttpAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  | {
      readonly kind: 'silent';
      readonly error: unknown;
      /** A few words for people. */
      readonly reason: string;
    };

/**
 * Sends a GET over its own connection, with the tolerance of `patientTimer`. Never rejects. If only the head is needed, the body is not read: it
 * might never end.
 */
export async function ask(
  { tls, ...target }: Question,
  { timeoutMs, signal, maxBytes }: AskLimits,
): Promise<HttpAnswer> {
  const late = new AbortController();
  using _timer = patientTimer(timeoutMs, () => late.abort());
  const bounded = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  const options = { ...target, ...tls, agent: false as const, signal: bounded };
  try {
    const head = await headOfAnswer(() => {
      // Over TLS, a connection to itself ends with a failed handshake.
      if (tls !== undefined) return requestSecure(options);
      return requestPlain(options).once('socket', (socket) => onceConnected(socket, () => undefined));
    });
    const body = maxBytes === undefined ? Buffer.alloc(0) : await readBody(head, maxBytes);
    head.destroy();
    return { kind: 'answered', status: head.statusCode ?? 0, headers: head.headers, body };
  } catch (error) {
    return { kind: 'silent', error, reason: timeoutReason(error, late.signal, timeoutMs) };
  }
}

/** Sends a request and resolves with the head of the answer. Rejects if no answer starts. If the answer ends too early, its reader gets the error. */
export function headOfAnswer(start: () => ClientRequest, content?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = start();
    outgoing.once('response', (answer) => {
      // A reset between two readers of the body must not become an uncaught error.
      answer.on('error', () => undefined);
      resolve(answer);
    });
    // Resets in the middle of an answer are also emitted here, where they change nothing.
    outgoing.on('error', reject);
    // An unrequested upgrade ends a request without an answer or an error.
    outgoing.once('close', () => reject(new Error('the connection ended without an answer')));
    outgoing.end(content);
  });
}

/** Reads the whole body. Rejects if the body is longer than `maxBytes`, or the connection ends too early. */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw Object.assign(new Error(`its answer is longer than ${maxBytes} bytes`), { code: 'EFBIG' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
