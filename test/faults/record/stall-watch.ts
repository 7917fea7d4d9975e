/**
 * A program of ordinary priority that does nothing but wait, and prints each time that it was not woken in time, as a line
 * of JSON. Then no other program had a processor either. Ends when its input does.
 */
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';

const EVERY_MS = 10;
const LATE_MS = 40;

let lastMs = monotonicMs();
setInterval(() => {
  const now = monotonicMs();
  const dueMs = lastMs + EVERY_MS;
  lastMs = now;
  if (now - dueMs > LATE_MS)
    process.stdout.write(`${JSON.stringify({ kind: 'stall', fromMs: dueMs, toMs: now })}\n`);
}, EVERY_MS);
process.stdin.on('end', () => process.exit(0)).resume();
