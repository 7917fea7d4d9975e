import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { HistoryWriter } from './history.ts';
import { recordProgram } from './record-program.ts';

const EVERY_MS = 1_000;
const program = fileURLToPath(new URL('stall-watch.ts', import.meta.url));

/** How long, since the boot, some process has waited for a processor (`/proc/pressure/cpu`); 0 where the kernel does not say. */
function waitedMs(): number {
  try {
    const [, total = '0'] = /^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? [];
    return Number(total) / 1_000;
  } catch {
    return 0;
  }
}

/** Records when the machine had no processor to give, its load, and how its two clocks differ. */
export function recordMachine(history: HistoryWriter): AsyncDisposable {
  const stalls = recordProgram([process.execPath, program], history);
  let last = { atMs: monotonicMs(), waitedMs: waitedMs() };
  const look = () => {
    const [load = 0] = loadavg();
    const now = { atMs: monotonicMs(), waitedMs: waitedMs() };
    const waitingShare = (now.waitedMs - last.waitedMs) / Math.max(1, now.atMs - last.atMs);
    last = now;
    history.write({
      kind: 'machine',
      atMs: now.atMs,
      load,
      waitingShare,
      wallOffsetMs: Date.now() - now.atMs,
    });
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await stalls[Symbol.asyncDispose]();
    },
  };
}
