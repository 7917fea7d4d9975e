import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { readJsonLines } from '../../helpers/load/json-lines.ts';
import { entrySchema, type HistoryWriter } from './history.ts';

const EVERY_MS = 1_000;
const program = fileURLToPath(new URL('stall-watch.ts', import.meta.url));

/** Records when the machine had no processor to give, its load, and how its two clocks differ. */
export function recordMachine({ write }: HistoryWriter): AsyncDisposable {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  child.stdin.on('error', () => {});
  readJsonLines(child.stdout, (value) => write(entrySchema.parse(value)));
  const look = () => {
    const [load = 0] = loadavg();
    const atMs = monotonicMs();
    write({ kind: 'machine', atMs, load, wallOffsetMs: Date.now() - atMs });
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
