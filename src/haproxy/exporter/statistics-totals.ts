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
  /** Forgets rows that no generation has any more. Those of a generation that was not asked must be among them. */
  readonly keepRows: (rows: readonly StatisticsRow[]) => void;
  readonly of: (row: StatisticsRow) => readonly number[];
}

type Counts = Map<string, readonly number[]>;

/**
 * Counters that never go back. Each generation of HAProxy begins to count at 0, and so does a server that is taken out and put
 * in again; one that still drains goes on counting beside the one that serves. So what is added is the difference to what the same
 * generation said before, and all of a number that went back. `isCounter` says which values are counted: of others there is no total.
 *
 * Of a row that nothing has counted but the generation that was asked, the total is the same list as the row's. Of ten thousand routes most rest.
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

/** Frontends and backends may have one name, and no name has a space in front. Of most rows it is the key itself, which is there already. */
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
