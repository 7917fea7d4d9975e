import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';

/** The local router's answer. The status is 0 if there was none. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Uses a new connection, since each may reach a different generation. */
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

/** The SHA-256 fingerprint of the certificate shown to a client that asks for this host; '' if there is none. */
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
  /** The distinct answers before the good one. */
  readonly before: readonly T[];
}

/** Asks every few milliseconds until the answer is good. Throws after `withinMs`. */
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
