import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { type RequestOptions, request as requestSecure } from 'node:https';
import { patientTimer } from '../time/patient-timeout.ts';
import { timeoutReason } from '../time/timeout-reason.ts';
import { onceConnected } from './once-connected.ts';

/** Of the other side's certificate and of ours. */
type Verification = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'checkServerIdentity' | 'minVersion' | 'rejectUnauthorized'
>;

/** For questions about liveness: they send nothing secret, and any certificate will do. */
export const unverified: Verification = { rejectUnauthorized: false };

export interface Question {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  /** Undefined for plain HTTP. */
  readonly tls: Verification | undefined;
}

export interface AskLimits {
  /** From the call to the last byte that is read. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Of the body; without it only the head of the answer is read. */
  readonly maxBytes?: number;
}

/** How far a question came: a connection that ends means something else each time. */
export type AskStage = 'connecting' | 'asking' | 'reading';

type HttpAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      /** When its head came, in milliseconds of the wall clock. */
      readonly headAtMs: number;
    }
  | {
      readonly kind: 'silent';
      readonly stage: AskStage;
      readonly error: unknown;
      readonly isLate: boolean;
      /** In a few words. */
      readonly reason: string;
    };

/**
 * A GET over a connection of its own, with the patience of `patientTimer`. Never rejects. Where the head is enough, the
 * rest is not waited for: it might never end.
 */
export async function ask(
  { tls, ...target }: Question,
  { timeoutMs, signal, maxBytes }: AskLimits,
): Promise<HttpAnswer> {
  const late = new AbortController();
  using _timer = patientTimer(timeoutMs, () => late.abort());
  const bounded = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  const options = { ...target, ...tls, agent: false as const, signal: bounded };
  let stage: AskStage = 'connecting';
  try {
    const head = await headOfAnswer(() => {
      const outgoing = (tls === undefined ? requestPlain : requestSecure)(options);
      const isAsking = (): void => {
        stage = 'asking';
      };
      return outgoing.once('socket', (socket) => {
        // Over TLS, one that is connected to itself ends with a failed handshake.
        if (tls === undefined) onceConnected(socket, isAsking);
        else socket.once('secureConnect', isAsking);
      });
    });
    stage = 'reading';
    const headAtMs = Date.now();
    const body = maxBytes === undefined ? Buffer.alloc(0) : await readBody(head, maxBytes);
    head.destroy();
    return { kind: 'answered', status: head.statusCode ?? 0, headers: head.headers, body, headAtMs };
  } catch (error) {
    const reason = timeoutReason(error, late.signal, timeoutMs);
    return { kind: 'silent', stage, error, isLate: late.signal.aborted, reason };
  }
}

/** Sends a request; rejects where no answer begins. The answer's reader sees what ends it too early. */
export function headOfAnswer(start: () => ClientRequest, content?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = start();
    outgoing.once('response', (answer) => {
      // A reset between two readers of the body must not become an uncaught error.
      answer.on('error', () => undefined);
      resolve(answer);
    });
    // Resets in the middle of an answer are emitted here as well, where they change nothing.
    outgoing.on('error', reject);
    // An upgrade that was not asked for ends a request without an answer or an error.
    outgoing.once('close', () => reject(new Error('the connection ended without an answer')));
    outgoing.end(content);
  });
}

/** Rejects where there is more, or where the connection ends too early. */
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
