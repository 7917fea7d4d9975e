import { connect } from 'node:net';
import { messageOf } from '../errors.ts';
import { patientTimeout, timeoutReason } from '../time/patient-timeout.ts';
import { hostPort } from './address-text.ts';
import { onceConnected } from './probe-tcp.ts';

export interface PageAddress {
  /** An address without brackets. */
  readonly host: string;
  readonly port: number;
}

type PageAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /**
   * Nothing listens, or the answer was incomplete at the timeout. `isTaken`: a connection was accepted, as by a hung program. `isCut`: the peer
   * closed it before it sent a byte, as a TLS server does.
   */
  | { readonly kind: 'silent'; readonly message: string; readonly isTaken: boolean; readonly isCut: boolean };

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Sent before the request, such as a PROXY protocol header. */
  readonly preface?: string | undefined;
}

/** Far larger than any status or statistics page of a control plane. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Sends a GET for a page over its own connection. Never rejects. Implements only the part of HTTP/1.0 that one GET needs, because loading `node:http`
 * takes as long as a dozen requests, and a user waits for `hawser status`. Chunked answers are supported: some servers send chunks even to HTTP/1.0
 * clients.
 */
export function askPage(
  { host, port }: PageAddress,
  path: string,
  { timeoutMs, signal, preface = '' }: AskOptions,
): Promise<PageAnswer> {
  const answer = new Promise<PageAnswer>((resolve) => {
    const timeout = patientTimeout(timeoutMs);
    const bounded = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const socket = connect({ host, port, signal: bounded, allowHalfOpen: true });
    const settle = (answer: PageAnswer): void => {
      resolve(answer);
      socket.destroy();
    };
    let isTaken = false;
    const parts: Buffer[] = [];
    let bytes = 0;
    const fail = (error: unknown): void => {
      const isCut = isTaken && bytes === 0 && !bounded.aborted;
      settle({ kind: 'silent', message: timeoutReason(error, timeout, timeoutMs), isTaken, isCut });
    };
    onceConnected(socket, () => {
      isTaken = true;
      socket.write(`${preface}GET ${path} HTTP/1.0\r\nHost: ${hostPort({ host, port })}\r\n\r\n`);
    });
    socket.on('data', (part) => {
      parts.push(part);
      bytes += part.length;
      if (bytes > MOST_BYTES) fail(new Error(`the answer is longer than ${MOST_BYTES} bytes`));
    });
    socket.once('end', () => {
      const answer = parseAnswer(Buffer.concat(parts));
      if (answer === undefined) fail(new Error('the answer is not HTTP, or incomplete'));
      else settle(answer);
    });
    socket.once('error', fail);
  });
  // An invalid address, such as a port above 65535, throws at once instead of emitting an event.
  return answer.catch((error: unknown) => ({
    kind: 'silent',
    message: messageOf(error),
    isTaken: false,
    isCut: false,
  }));
}

/**
 * `askPage` for a page that may use TLS. The certificate is not verified, because the request contains no secret. Never rejects. TLS is loaded only
 * if a page needs it.
 */
export async function askPageEitherWay(
  page: PageAddress,
  path: string,
  options: AskOptions,
): Promise<PageAnswer> {
  const plain = await askPage(page, path, options);
  if (plain.kind === 'answered' || !plain.isCut) return plain;
  const { ask, unverified } = await import('./ask.ts');
  const { timeoutMs, signal } = options;
  const secure = await ask({ ...page, path, tls: unverified }, { timeoutMs, signal, maxBytes: MOST_BYTES });
  if (secure.kind === 'silent') return plain;
  return { kind: 'answered', status: secure.status, text: secure.body.toString('utf8') };
}

function parseAnswer(received: Buffer): Extract<PageAnswer, { kind: 'answered' }> | undefined {
  const end = received.indexOf('\r\n\r\n');
  const head = received.toString('latin1', 0, Math.max(end, 0));
  const status = /^HTTP\/1\.[01] (\d{3}) /.exec(head)?.[1];
  if (end === -1 || status === undefined) return undefined;
  const sent = received.subarray(end + 4);
  const body = /^transfer-encoding:\s*chunked\s*$/im.test(head) ? joinChunks(sent) : sent;
  const length = /^content-length:\s*(\d+)\s*$/im.exec(head)?.[1];
  if (body === undefined || (length !== undefined && Number(length) !== body.length)) return undefined;
  return { kind: 'answered', status: Number(status), text: body.toString('utf8') };
}

/** Joins the chunks of a body. Undefined if the last chunk, which is empty, is missing. Source: RFC 9112, section 7.1. */
function joinChunks(sent: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = sent.indexOf('\r\n', at);
    const size = /^[0-9a-f]{1,8}/i.exec(sent.toString('latin1', at, Math.max(lineEnd, at)))?.[0];
    if (size === undefined) return undefined;
    const from = lineEnd + 2;
    const to = from + Number.parseInt(size, 16);
    if (to === from) return Buffer.concat(chunks);
    if (to + 2 > sent.length) return undefined;
    chunks.push(sent.subarray(from, to));
    at = to + 2;
  }
}
