import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';

/** The local router's answer: the status and the body, '0' without an answer. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** On a connection of its own, as each may reach another generation. */
export function askHost(port: number, host: string): Promise<Answer> {
  return new Promise((resolve) => {
    const silent = (): void => resolve({ status: 0, body: '' });
    const asked = request(
      { host: '127.0.0.1', port, path: '/app', headers: { host }, agent: false, timeout: 10_000 },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body })).once('error', silent);
      },
    );
    asked.once('timeout', () => asked.destroy()).once('error', silent);
    asked.end();
  });
}

/** The SHA-256 fingerprint of the certificate that a client gets which asks for this host; '' without one. */
export function certificateOf(port: number, host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false });
    const settle = (text: string): void => {
      socket.destroy();
      resolve(text);
    };
    socket.once('secureConnect', () => settle(socket.getPeerCertificate().fingerprint256));
    socket.once('error', () => settle(''));
  });
}

export interface Waited<T> {
  readonly ms: number;
  /** What was seen before, each once. */
  readonly before: readonly T[];
}

/** Asks again and again, every few milliseconds, until the answer is good. Throws after `withinMs`. */
export async function untilGood<T>(
  what: string,
  ask: () => Promise<T>,
  isGood: (answer: T) => boolean,
  { fromMs = monotonicMs(), withinMs = 120_000, everyMs = 5 } = {},
): Promise<Waited<T>> {
  const before = new Set<T>();
  for (;;) {
    const answer = await ask();
    if (isGood(answer)) return { ms: monotonicMs() - fromMs, before: [...before] };
    before.add(answer);
    if (monotonicMs() - fromMs > withinMs) throw new Error(`Cannot wait any longer for ${what}`);
    await pause(everyMs);
  }
}
