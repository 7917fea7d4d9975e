import { connect } from 'node:net';
import { silenceOf } from './silence.ts';

export interface PageAddress {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export type PageAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** Nobody listens, or not all of the answer came in time. */
  | { readonly kind: 'silent'; readonly message: string };

/** Far above any status or statistics of a control plane. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * What a page says, over a connection of its own. Never rejects.
 *
 * As much of HTTP/1.0 as one GET needs, which has no chunks and ends with its connection: loading `node:http` takes as
 * long as asking a dozen pages, and somebody waits for `hawser status`.
 */
export function askPage(
  { host, port }: PageAddress,
  path: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<PageAnswer> {
  return new Promise((resolve) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const bounded = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const socket = connect({ host, port, signal: bounded, allowHalfOpen: true });
    const settle = (answer: PageAnswer): void => {
      resolve(answer);
      socket.destroy();
    };
    const fail = (error: unknown): void =>
      settle({ kind: 'silent', message: silenceOf(error, timeout, timeoutMs) });
    let received = '';
    socket.setEncoding('utf8');
    socket.once('connect', () =>
      socket.write(`GET ${path} HTTP/1.0\r\nHost: ${hostHeader(host, port)}\r\n\r\n`),
    );
    socket.on('data', (part: string) => {
      received += part;
      if (received.length > MOST_CHARACTERS) fail(new Error('the answer has no end'));
    });
    socket.once('end', () => {
      const answer = parseAnswer(received);
      if (answer === undefined) fail(new Error('the answer is not HTTP, or only half of it'));
      else settle(answer);
    });
    socket.once('error', fail);
  });
}

function hostHeader(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseAnswer(received: string): Extract<PageAnswer, { kind: 'answered' }> | undefined {
  const end = received.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3}) /.exec(received)?.[1];
  if (end === -1 || status === undefined) return undefined;
  const text = received.slice(end + 4);
  const length = /^content-length:\s*(\d+)\s*$/im.exec(received.slice(0, end))?.[1];
  if (length !== undefined && Number(length) !== Buffer.byteLength(text)) return undefined;
  return { kind: 'answered', status: Number(status), text };
}
