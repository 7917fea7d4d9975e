/**
 * A program: a client of the API that makes a new TLS connection for every request, at a fixed rate whatever becomes of
 * the earlier ones, and prints one line of JSON for each (see request-result.ts). Ends on SIGTERM.
 *
 *   node load.ts HOST PORT CA_FILE PER_SECOND
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { codeOf } from '../../src/engine/system/errors.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { RequestResult } from './request-result.ts';

const [host = '', port = '', caFile = '', perSecond = ''] = process.argv.slice(2);
const ca = readFileSync(caFile);
const TIMEOUT_MS = 8_000;
/** One connection in so many is held for a while before it asks, as `kubectl exec` would: something to drain. */
const HELD_ONE_IN = 10;
const HELD_MS = 2_000;

function ask(holdMs: number): void {
  const startedAtMs = monotonicMs();
  let server: string | undefined;
  let text = '';
  let reason = 'closed';
  const socket = connect({ host, port: Number(port), ca });
  socket.setTimeout(TIMEOUT_MS, () => {
    reason = 'timeout';
    socket.destroy();
  });
  socket.setEncoding('latin1');
  socket.on('secureConnect', () => {
    const name = socket.getPeerCertificate().subject.CN;
    server = Array.isArray(name) ? name[0] : name;
    setTimeout(
      () => socket.write(`GET /version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      holdMs,
    );
  });
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.on('error', (error) => {
    reason = codeOf(error) ?? error.message;
  });
  socket.on('close', () => {
    const failure = text.startsWith('HTTP/1.1 200 ') ? {} : { failure: reason };
    const named = server === undefined ? {} : { server };
    print({ startedAtMs, endedAtMs: monotonicMs(), heldMs: holdMs, ...named, ...failure });
  });
}

function print(result: RequestResult): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

// Without a reader there is nothing to count for.
process.stdout.on('error', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
// Begun when they are due, whatever became of the earlier ones: a load balancer that stalls meets a queue.
const beganAtMs = monotonicMs();
let asked = 0;
setInterval(() => {
  for (; asked < ((monotonicMs() - beganAtMs) * Number(perSecond)) / 1_000; asked += 1)
    ask(asked % HELD_ONE_IN === HELD_ONE_IN - 1 ? HELD_MS : 0);
}, 10);
