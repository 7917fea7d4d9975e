import { connect, type Socket } from 'node:net';
import { codeOf } from '../../../src/engine/system/errors.ts';
import type { LossReason } from './load-events.ts';

export type AskOutcome =
  | { readonly kind: 'answered'; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: LossReason };

/**
 * One hand-written HTTP request on its own connection: Node's client costs four times the CPU time, which two shared
 * cores do not have. Calls back exactly once; destroying the socket counts as `empty`.
 */
export function askOnce(
  target: { readonly host: string; readonly port: number; readonly hostHeader?: string | undefined },
  path: string,
  done: (outcome: AskOutcome) => void,
): Socket {
  const { host, port, hostHeader = host } = target;
  const socket = connect({ host, port });
  let text = '';
  let reason: LossReason | undefined;
  socket.setEncoding('latin1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostHeader}\r\nConnection: close\r\n\r\n`);
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.on('error', (error) => {
    reason = reasonOf(codeOf(error));
  });
  socket.on('close', () => done(outcomeOf(text, reason)));
  return socket;
}

/** A whole answer counts even if a reset follows. */
function outcomeOf(text: string, reason: LossReason | undefined): AskOutcome {
  const headEnd = text.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN);
  const body = text.slice(headEnd + 4);
  const whole = headEnd !== -1 && body.length === length;
  if (!whole) return { kind: 'failed', reason: reason ?? 'empty' };
  return text.startsWith('HTTP/1.1 200 ') ? { kind: 'answered', body } : { kind: 'failed', reason: 'wrong' };
}

function reasonOf(code: string | undefined): LossReason {
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  return code === 'ETIMEDOUT' ? 'timeout' : 'other';
}
