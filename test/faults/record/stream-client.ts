/**
 * A program that keeps a few TLS connections open and sends a request on each every quarter of a second. A connection is
 * replaced when it reaches its maximum age or is cut. Prints a line of JSON for each ended connection that had carried an
 * answer. Exits at the end of its input.
 *
 *   node stream-client.ts HOST PORT
 */
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { codeOf } from '../../../src/engine/system/errors.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { LONGEST_STREAM_MS, STREAM_GAP_MS, STREAM_TIMEOUT_MS, STREAMS } from './stream-plan.ts';

const [host = '', port = ''] = process.argv.slice(2);
const request = 'GET /version HTTP/1.1\r\nHost: vip\r\n\r\n';

/** Resolves once the connection is over. */
function stream(longestMs: number): Promise<void> {
  return new Promise((resolve) => {
    const fromMs = monotonicMs();
    let reason: string | null = 'closed';
    let isAsked = false;
    let hasAnswered = false;
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
    const end = (why: string | null) => {
      reason = why;
      socket.destroy();
    };
    let timer = setTimeout(end, STREAM_TIMEOUT_MS, 'timeout');
    const ask = () => {
      clearTimeout(timer);
      if (monotonicMs() - fromMs > longestMs) return end(null);
      isAsked = true;
      socket.write(request);
      timer = setTimeout(end, STREAM_TIMEOUT_MS, 'timeout');
    };
    socket.on('secureConnect', ask);
    socket.on('data', () => {
      // An answer may arrive in two pieces.
      if (!isAsked) return;
      [isAsked, hasAnswered] = [false, true];
      clearTimeout(timer);
      timer = setTimeout(ask, STREAM_GAP_MS);
    });
    socket.on('error', (error) => {
      reason = codeOf(error) ?? 'error';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      const told = { kind: 'stream', fromMs, toMs: monotonicMs(), reason };
      if (hasAnswered) process.stdout.write(`${JSON.stringify(told)}\n`);
      resolve();
    });
  });
}

/** One connection after another. The first one is shorter, so that the slots do not all end at once. */
async function keepOne(index: number): Promise<never> {
  await stream((LONGEST_STREAM_MS / STREAMS) * (index + 1));
  for (;;) {
    await delay(STREAM_GAP_MS);
    await stream(LONGEST_STREAM_MS);
  }
}

for (let index = 0; index < STREAMS; index += 1) void keepOne(index);
process.stdin.on('end', () => process.exit(0)).resume();
