import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { NetNamespace } from '../net-namespace.ts';
import { waitFor } from '../wait-for.ts';

export interface AddressChange {
  /** Without the prefix length. */
  readonly address: string;
  readonly present: boolean;
  /** When the kernel notified `ip`, in monotonic milliseconds. */
  readonly atMs: number;
}

export interface AddressWatch {
  readonly pid: number;
}

const CANARY = '127.77.77.77';

/**
 * Reports every address added to or removed from a namespace, by netlink. `ip` itself notes the time, so that a busy test process
 * does not shift it; `watcher` goes in front of it. Resolves once changes are heard; ends with the namespace.
 */
export async function watchAddresses(
  namespace: NetNamespace,
  take: (change: AddressChange) => void,
  watcher: readonly string[],
): Promise<AddressWatch> {
  const [file, ...before] = namespace.prefix;
  const child = spawn(file, [...before, ...watcher, 'ip', '-ts', '-o', 'monitor', 'address'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TZ: 'UTC' },
  });
  let heard = false;
  let lastMs = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const change = parseAddressChange(line, clockOffsetMs());
    if (change?.address === CANARY) heard = true;
    else if (change !== undefined) {
      // The conversion between the clocks is not exact to the microsecond, and an address may come and go within a few.
      lastMs = Math.max(lastMs, change.atMs);
      take({ ...change, atMs: lastMs });
    }
  });
  await waitFor('address changes to be heard', async () => {
    await namespace.run('ip', 'address', 'replace', `${CANARY}/32`, 'dev', 'lo');
    return heard;
  });
  await namespace.run('ip', 'address', 'del', `${CANARY}/32`, 'dev', 'lo');
  return { pid: pidOf(child) };
}

/** Monotonic minus wall time, read as a millisecond of the wall clock begins: later in it, `Date.now()` lags behind. */
function clockOffsetMs(): number {
  let lastMs = Date.now();
  for (;;) {
    const fromMs = monotonicMs();
    const wallMs = Date.now();
    const toMs = monotonicMs();
    // Not if another process ran in between.
    if (wallMs === lastMs + 1 && toMs - fromMs < 0.1) return fromMs - wallMs;
    lastMs = wallMs;
  }
}

/** A line of `ip -ts -o monitor address` with UTC times; `clockOffsetMs` is monotonic minus wall time. */
export function parseAddressChange(line: string, clockOffsetMs: number): AddressChange | undefined {
  const form = /^\[(\S+?)\] (Deleted )?\d+: \S+ +inet6? ([0-9a-f.:]+)/;
  const [, stamp, deleted, address] = form.exec(line) ?? [];
  if (stamp === undefined || address === undefined) return undefined;
  const [seconds, fraction = '0'] = stamp.split('.');
  const wallMs = Date.parse(`${seconds}Z`) + Number(`0.${fraction}`) * 1_000;
  return { address, present: deleted === undefined, atMs: wallMs + clockOffsetMs };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('Cannot watch addresses: "ip" could not be started');
  return child.pid;
}
