import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { HistoryWriter } from './history.ts';
import { recordProgram } from './record-program.ts';

const EVERY_MS = 1_000;
const program = fileURLToPath(new URL('stall-watch.ts', import.meta.url));

/** How long each process has waited for a CPU since it started, in milliseconds. Processes that have exited are left out. */
function waitsOf(pids: readonly number[]): ReadonlyMap<number, number> {
  const waits = new Map<number, number>();
  for (const pid of pids)
    try {
      const [, waitedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
      waits.set(pid, Number(waitedNs) / 1e6);
    } catch {}
  return waits;
}

/**
 * Records how long the nodes' own processes waited for a CPU, the machine's load, and the offset between its two clocks. Other
 * programs do not count: those of lower priority may wait constantly while the nodes have all the CPU they need.
 */
export function recordMachine(nodes: readonly BedNode[], history: HistoryWriter): AsyncDisposable {
  const stalls = recordProgram([process.execPath, program], history);
  const look = () => ({
    atMs: monotonicMs(),
    waits: waitsOf(nodes.flatMap(({ namespace }) => namespace.residents())),
  });
  let last = look();
  const record = () => {
    const now = look();
    const waitedMs = [...now.waits].reduce((sum, [pid, ms]) => sum + ms - (last.waits.get(pid) ?? 0), 0);
    const waitingShare = waitedMs / Math.max(1, now.atMs - last.atMs);
    last = now;
    const [load = 0] = loadavg();
    history.write({
      kind: 'machine',
      atMs: now.atMs,
      load,
      waitingShare,
      wallOffsetMs: Date.now() - now.atMs,
    });
  };
  record();
  const timer = setInterval(record, EVERY_MS);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await stalls[Symbol.asyncDispose]();
    },
  };
}
