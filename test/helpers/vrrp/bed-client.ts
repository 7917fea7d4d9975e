import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { readJsonLines } from '../load/json-lines.ts';
import { waitFor } from '../wait-for.ts';
import { AHEAD } from './bed-process.ts';
import { type Probe, toldProbeSchema } from './probes.ts';

export const PROBE_GAP_MS = 20;
export const PROBE_TIMEOUT_MS = 200;
/** A client that waits longer than this may never get an answer. */
const LATE_MS = PROBE_TIMEOUT_MS * 2;

export interface BedClient extends AsyncDisposable {
  /** Every finished probe since the last `forget`. */
  probes(): readonly Probe[];
  forget(): void;
  /** True if for this long the client has kept asking and got only good answers, and no answer is overdue. */
  calmFor(durationMs: number): boolean;
}

const program = fileURLToPath(new URL('probe-client.ts', import.meta.url));

/** Probes from a separate process, until disposed of. */
export async function startClient(
  prefix: readonly [string, ...string[]],
  host: string,
  port: number,
  timeoutMs = PROBE_TIMEOUT_MS,
  gapMs = PROBE_GAP_MS,
): Promise<BedClient> {
  const [file, ...before] = prefix;
  const plan = [host, port, gapMs, timeoutMs].map(String);
  const child = spawn(file, [...before, ...AHEAD, process.execPath, program, ...plan], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'close');
  child.stdin.on('error', () => {});
  const startedAtMs = monotonicMs();
  let probes: Probe[] = [];
  let lastFailedMs = startedAtMs;
  let pendingSinceMs: number | null = null;
  readJsonLines(child.stdout, (value) => {
    const { pendingSinceMs: oldestMs, ...probe } = toldProbeSchema.parse(value);
    probes.push(probe);
    pendingSinceMs = oldestMs;
    if (probe.reason !== null) lastFailedMs = Math.max(lastFailedMs, probe.endedAtMs);
  });
  await waitFor('the client to probe', () => probes.length > 0);
  return {
    probes: () => probes,
    forget: () => {
      probes = probes.slice(-50);
    },
    calmFor: (durationMs) => {
      const heardMs = probes.at(-1)?.endedAtMs ?? startedAtMs;
      const now = monotonicMs();
      return now - lastFailedMs >= durationMs && now - Math.min(heardMs, pendingSinceMs ?? now) < LATE_MS;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
