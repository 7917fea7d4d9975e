/**
 * A program: opens a new TLS connection with one GET every `gapMs`, regardless of the earlier ones. Prints every probe
 * as a line of JSON, with the start of the oldest connection still open. Does not verify certificates. Ends when its
 * input does.
 *
 *   node probe-client.ts HOST PORT GAP_MS TIMEOUT_MS
 */
import { connect, createSecureContext } from 'node:tls';
import { codeOf } from '../../../src/engine/system/errors.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { ToldProbe } from './probes.ts';

const [host = '', port = '', gapMs = '', timeoutMs = ''] = process.argv.slice(2);
/** When each probe that has not ended began, oldest first. */
const pending = new Set<number>();
/** Shared by all connections: building a context costs more than a handshake. */
const secureContext = createSecureContext();
const request = `GET /version HTTP/1.1\r\nHost: vip\r\nConnection: close\r\n\r\n`;

function probe(): void {
  const startedAtMs = monotonicMs();
  pending.add(startedAtMs);
  let reason: string | null = 'closed';
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, secureContext });
  const timer = setTimeout(() => {
    reason = 'timeout';
    socket.destroy();
  }, Number(timeoutMs));
  socket.on('error', (error) => {
    reason = codeOf(error) ?? 'error';
  });
  socket.on('secureConnect', () => socket.write(request));
  socket.once('data', (data) => {
    reason = data.toString('latin1').startsWith('HTTP/1.1 200 ') ? null : 'wrong answer';
    socket.destroy();
  });
  socket.on('close', () => {
    clearTimeout(timer);
    pending.delete(startedAtMs);
    const [pendingSinceMs = null] = pending;
    say({ startedAtMs, endedAtMs: monotonicMs(), reason, pendingSinceMs });
  });
}

function say(result: ToldProbe): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

let dueAtMs = monotonicMs();
function probeWhenDue(): void {
  const now = monotonicMs();
  if (now >= dueAtMs) {
    // What a stopped machine missed is not made up for in a burst.
    dueAtMs = Math.max(dueAtMs + Number(gapMs), now - Number(gapMs));
    probe();
  }
  setTimeout(probeWhenDue, Math.max(0, dueAtMs - now));
}
probeWhenDue();
process.stdin.on('end', () => process.exit(0)).resume();
