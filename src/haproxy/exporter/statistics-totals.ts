import type { StatisticsRow } from './statistics-rows.ts';

/** The counts of all generations, keyed by type and key of each row. */
export interface StatisticsTotals {
  /** Adds a generation's counts since its last poll. `generation` identifies one process. */
  readonly add: (generation: string, rows: readonly StatisticsRow[]) => void;
  /**
   * Forgets the last values of the other generations; their counts stay in the totals. Keep a generation that is only silent for now, because all its
   * counts would be added again.
   */
  readonly keep: (isThere: (generation: string) => boolean) => void;
  /** Forgets rows that no generation has any more. Include the rows of a generation that was not polled. */
  readonly keepRows: (rows: readonly StatisticsRow[]) => void;
  readonly of: (row: StatisticsRow) => readonly number[];
}

type Counts = Map<string, readonly number[]>;

/**
 * Counters that never decrease. Each generation of HAProxy starts counting at 0, as does a server that is removed and added again, and a draining
 * generation keeps counting while another one serves. So each total grows by the difference from the same generation's previous value, or by the
 * whole value after a reset. `isCounter` marks the values that are counters; the others have no total.
 *
 * A row that only the polled generation has counted shares its list with its total, because most of ten thousand routes are idle.
 */
export function createTotals(isCounter: readonly boolean[]): StatisticsTotals {
  const totals: Counts = new Map();
  const last = new Map<string, Counts>();
  const hasCounted = (total: readonly number[]): boolean =>
    total.some((value, index) => isCounter[index] === true && value > 0);
  const wentBack = (now: readonly number[], before: readonly number[]): boolean =>
    now.some((value, index) => isCounter[index] === true && value < (before[index] ?? 0));
  const totalOf = (
    name: string,
    now: readonly number[],
    before: readonly number[] = [],
  ): readonly number[] => {
    const total = totals.get(name) ?? [];
    const isOnly = total === before || !(hasCounted(total) || hasCounted(before));
    return isOnly && !wentBack(now, before) ? now : sumOf(total, now, before);
  };
  return {
    add: (generation, rows) => {
      const before = last.get(generation) ?? new Map<string, readonly number[]>();
      last.set(generation, before);
      for (const row of rows) {
        const name = nameOf(row);
        totals.set(name, totalOf(name, row.values, before.get(name)));
        before.set(name, row.values);
      }
    },
    keep: (isThere) => {
      for (const generation of last.keys()) if (!isThere(generation)) last.delete(generation);
    },
    keepRows: (rows) => {
      const names = new Set(rows.map(nameOf));
      for (const counts of [totals, ...last.values()])
        for (const name of counts.keys()) if (!names.has(name)) counts.delete(name);
    },
    of: (row) => totals.get(nameOf(row)) ?? row.values,
  };
}

/** Frontends and backends may share a name, and no name starts with a space. For most rows the existing name is the key. */
function nameOf({ type, key }: StatisticsRow): string {
  return type === 'frontend' ? ` ${key}` : key;
}

function sumOf(
  total: readonly number[],
  now: readonly number[],
  before: readonly number[],
): readonly number[] {
  return now.map((value, index) => {
    const [sum = 0, known = 0] = [total[index], before[index]];
    if (Number.isNaN(value)) return sum;
    return (Number.isNaN(sum) ? 0 : sum) + (value >= known ? value - known : value);
  });
}
