/** Reads a row of the statistics: returns the value of a column, or an empty text if there is none. */
export type Cell = (column: string) => string;

/** Returns 0 for an empty or invalid cell: NaN would become null in a status, which every reader refuses. */
export function countIn(cell: Cell, column: string): number {
  const count = Number(cell(column));
  return Number.isFinite(count) ? count : 0;
}

/** Value of the column "type". 0 is a frontend, 1 a backend, 3 a listener. */
export const SERVER = '2';

/**
 * The rows of HAProxy's statistics in CSV, from its page or from `show stat`. Undefined for any other text. Source: HAProxy's management guide, "CSV
 * format".
 */
export function parseStatistics(csv: string): readonly Cell[] | undefined {
  const rows = statisticsRows(csv);
  return rows && [...rows];
}

/** Like `parseStatistics`, but one row at a time: for ten thousand backends, all cells together would take 100 MB. */
export function statisticsRows(csv: string): Iterable<Cell> | undefined {
  const [head = '', ...lines] = csv.split('\n');
  if (!head.startsWith('# pxname,svname,')) return undefined;
  const columns = new Map(
    head
      .slice(2)
      .split(',')
      .map((name, index) => [name, index]),
  );
  return cellsIn(lines, columns);
}

function* cellsIn(lines: readonly string[], columns: ReadonlyMap<string, number>): Generator<Cell> {
  for (const line of lines) {
    const values = cellsOf(line);
    yield (column) => values[columns.get(column) ?? -1] ?? '';
  }
}

/** Only the message of a check may contain a comma or a quote, and is then quoted. */
function cellsOf(line: string): readonly string[] {
  // The common case. A supervisor reads the rows five times a second.
  if (!line.includes('"')) return line.split(',');
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
}
