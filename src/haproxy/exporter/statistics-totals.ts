import type { StatisticsRow } from './statistics-rows.ts';

/** What all generations have counted, each row by its type and key. */
export interface StatisticsTotals {
  /** Adds what a generation has counted since it was last asked. `generation` names one process for good. */
  readonly add: (generation: string, rows: readonly StatisticsRow[]) => void;
  /**
   * Forgets what was read last of the other generations; what they counted stays. One that is only silent for now must be kept, or
   * all that it counted would be added again.
   */
  readonly keep: (isThere: (generation: string) => boolean) => void;
  /** Forgets rows that no generation has any more. */
  readonly keepRows: (rows: readonly StatisticsRow[]) => void;
  readonly of: (row: StatisticsRow) => readonly number[];
}

type Counts = Map<string, number[]>;

/**
 * Counters that never go back. Each generation of HAProxy begins to count at 0, and so does a server that is taken out and put
 * in again; one that still drains goes on counting beside the one that serves. So what is added is the difference to what the same
 * generation said before, and all of a number that went back.
 */
export function createTotals(): StatisticsTotals {
  const totals: Counts = new Map();
  const last = new Map<string, Map<string, readonly number[]>>();
  return {
    add: (generation, rows) => {
      const before = last.get(generation) ?? new Map<string, readonly number[]>();
      last.set(generation, before);
      for (const row of rows) {
        const name = nameOf(row);
        addTo(placeOf(totals, name, row.values.length), row.values, before.get(name));
        before.set(name, row.values);
      }
    },
    keep: (isThere) => {
      for (const generation of last.keys()) if (!isThere(generation)) last.delete(generation);
    },
    keepRows: (rows) => {
      const names = new Set(rows.map(nameOf));
      for (const name of totals.keys()) if (!names.has(name)) totals.delete(name);
    },
    of: (row) => totals.get(nameOf(row)) ?? row.values,
  };
}

function nameOf({ type, key }: StatisticsRow): string {
  return `${type} ${key}`;
}

function placeOf(totals: Counts, name: string, length: number): number[] {
  const found = totals.get(name);
  if (found !== undefined) return found;
  const made = Array.from({ length }, () => 0);
  totals.set(name, made);
  return made;
}

function addTo(total: number[], now: readonly number[], before: readonly number[] | undefined): void {
  for (let index = 0; index < now.length; index += 1) {
    const value = now[index] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const known = before?.[index] ?? 0;
    total[index] = (total[index] ?? 0) + (value >= known ? value - known : value);
  }
}
