import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { readJsonLines } from '../../helpers/load/json-lines.ts';
import { entrySchema, type HistoryWriter } from './history.ts';

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
export function recordMachine({ write }: HistoryWriter): AsyncDisposable {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  child.stdin.on('error', () => {});
  readJsonLines(child.stdout, (value) => write(entrySchema.parse(value)));
  let last = { atMs: monotonicMs(), waitedMs: waitedMs() };
  const look = () => {
    const [load = 0] = loadavg();
    const now = { atMs: monotonicMs(), waitedMs: waitedMs() };
    const waitingShare = (now.waitedMs - last.waitedMs) / Math.max(1, now.atMs - last.atMs);
    last = now;
    write({ kind: 'machine', atMs: now.atMs, load, waitingShare, wallOffsetMs: Date.now() - now.atMs });
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      child.stdin.end();
      await exited;
    },
  };
}
