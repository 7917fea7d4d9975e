import type { Log } from '../system/log.ts';

/** How often the same refusal of the same address is logged. */
const AGAIN_MS = 3_600_000;
/** Different ones that are kept apart: a client with many addresses fills no log and no memory. */
const MOST_KINDS = 64;

/** Reports that a client was refused, and why. */
export type ReportRefusal = (address: string, reason: string) => void;

/**
 * Logs the first refusal of an address for a reason at once, and repeats once an hour with their number. Beyond 64
 * different ones in an hour they are counted together.
 */
export function createRefusals(log: Log, nowMs: () => number): ReportRefusal {
  const kinds = new Map<string, { readonly toldMs: number; readonly since: number }>();
  const forgetOld = (now: number): void => {
    for (const [key, { toldMs }] of kinds) if (now - toldMs >= AGAIN_MS) kinds.delete(key);
  };
  return (address, reason) => {
    const now = nowMs();
    const own = `${address} ${reason}`;
    if (kinds.size >= MOST_KINDS && !kinds.has(own)) forgetOld(now);
    const isApart = kinds.has(own) || kinds.size < MOST_KINDS;
    const key = isApart ? own : 'others';
    const known = kinds.get(key);
    if (known !== undefined && now - known.toldMs < AGAIN_MS) {
      kinds.set(key, { ...known, since: known.since + 1 });
      return;
    }
    kinds.set(key, { toldMs: now, since: 0 });
    const who = isApart ? { address, reason } : { reason: 'many others, for many reasons' };
    log({ event: 'peer-refused', level: 'warn', ...who, ...(known && { more: known.since }) });
  };
}
