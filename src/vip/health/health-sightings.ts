import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';

export type CheckRow = KeepalivedMonitorStatus['priorities'][number]['checks'][number];

/** The last finding of each check, as text. It decides nothing. */
interface Sightings {
  readonly note: (check: string, state: CheckRow['state'], found: string) => void;
  readonly row: (check: string) => CheckRow;
  readonly rows: () => readonly CheckRow[];
}

interface Sighting {
  readonly state: CheckRow['state'];
  readonly found: string;
  readonly atMs: number;
}

/** `checks` lists every check, in display order. */
export function createSightings(checks: readonly string[]): Sightings {
  const seen = new Map<string, Sighting>();
  const row = (check: string): CheckRow => {
    const last = seen.get(check);
    if (last === undefined) return { check, state: 'unknown', message: 'not looked at yet', sinceMs: null };
    return { check, state: last.state, message: last.found, sinceMs: Math.round(monotonicMs() - last.atMs) };
  };
  return {
    note: (check, state, found) => {
      const last = seen.get(check);
      seen.set(check, { state, found, atMs: last?.state === state ? last.atMs : monotonicMs() });
    },
    row,
    rows: () => checks.map(row),
  };
}
