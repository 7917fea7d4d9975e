/**
 * A program at normal priority that only sleeps and prints a line of JSON each time it is woken late. At such a time no
 * other program had a CPU either. Exits at the end of its input.
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
