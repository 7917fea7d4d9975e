import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Check, type Finding, fail, ok, unknown, warn } from '../check.ts';

export interface CpuReading {
  /** Percent of the last ten seconds in which some process waited for a processor (`/proc/pressure/cpu`). */
  readonly pressure: number | undefined;
  /** Percent of a moment in which this process was runnable and did not run. */
  readonly waited: number | undefined;
}

export function judgeCpu({ pressure, waited }: CpuReading): Finding {
  const seen = [
    ...(pressure === undefined
      ? []
      : [`processes waited for a processor ${pressure.toFixed(0)} % of the last 10 s`]),
    ...(waited === undefined ? [] : [`this one ${waited.toFixed(0)} % of a moment`]),
  ];
  if (seen.length === 0)
    return unknown(
      'neither /proc/pressure/cpu nor /proc/self/schedstat can be read',
      'boot with psi=1; uptime',
    );
  const todo = 'top; give the pods more cpu requests; keep other load off control-plane nodes';
  const found = seen.join(', ');
  if ((waited ?? 0) >= 60) return fail(found, todo);
  return (pressure ?? 0) >= 40 || (waited ?? 0) >= 25 ? warn(found, todo) : ok(found);
}

const MOMENT_MS = 500;

const cpu: Check = {
  id: 'cpu',
  title: 'Waiting for a processor',
  why: 'A keepalived that does not run for 300 ms sends no adverts: the VIP moves away from a healthy node.',
  run: async ({ files }, signal) => {
    const text = (await files.value('/proc/pressure/cpu')) ?? '';
    const [, average] = /^some avg10=([\d.]+)/m.exec(text) ?? [];
    const before = runDelayMs();
    const start = performance.now();
    await pause(MOMENT_MS, undefined, { signal });
    const after = runDelayMs();
    const elapsedMs = performance.now() - start;
    const waited =
      before === undefined || after === undefined ? undefined : ((after - before) / elapsedMs) * 100;
    return judgeCpu({ pressure: average === undefined ? undefined : Number(average), waited });
  },
};

/** How long this thread has waited on a run queue so far; asked without a thread of the pool, which would wait too. */
function runDelayMs(): number | undefined {
  try {
    const [, delayNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(delayNs) / 1_000_000;
  } catch {
    return undefined;
  }
}

export const cpuChecks: readonly Check[] = [cpu];
