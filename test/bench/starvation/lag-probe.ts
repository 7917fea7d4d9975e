/** A program that does nothing but wait, and says at the end of its input how late it was woken, in milliseconds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const EVERY_MS = 20;
const delays = monitorEventLoopDelay({ resolution: EVERY_MS });
const late = (ns: number): number => Math.max(0, Math.round(ns / 100_000 - EVERY_MS * 10) / 10);

process.stdin.on('end', () => {
  const [p50, p99, p999] = [50, 99, 99.9].map((p) => late(delays.percentile(p)));
  process.stdout.write(`${JSON.stringify({ p50, p99, p999, max: late(delays.max) })}\n`);
  process.exit(0);
});
process.stdin.resume();
delays.enable();
