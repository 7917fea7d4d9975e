import { type Cell, statisticsRows } from '../text/statistics.ts';
import type { Column, RowType } from './columns.ts';

/** One row of HAProxy's statistics. */
export interface StatisticsRow {
  readonly type: RowType;
  /** The proxy's name; for a server followed by a space and the server's name. */
  readonly key: string;
  /** In the order of the requested columns. NaN if HAProxy has no value. */
  readonly values: readonly number[];
}

const types: Readonly<Record<string, RowType>> = { 0: 'frontend', 1: 'backend', 2: 'server' };

/**
 * Parses the output of `show stat`. Undefined for any other text, and for an incomplete one: a number with missing digits would look like a counter
 * reset.
 */
export function readRows(csv: string, columns: readonly Column[]): readonly StatisticsRow[] | undefined {
  const cells = csv.endsWith('\n') ? statisticsRows(csv.trimEnd()) : undefined;
  if (cells === undefined) return undefined;
  const rows: StatisticsRow[] = [];
  for (const cell of cells) {
    const type = types[cell('type')];
    if (type === undefined || cell('pxname') === '') continue;
    const key = type === 'server' ? `${cell('pxname')} ${cell('svname')}` : cell('pxname');
    rows.push({ type, key: copyOf(key), values: columns.map((column) => numberIn(cell, column, type)) });
  }
  return rows;
}

/** A substring would keep the whole text of megabytes in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

function numberIn(cell: Cell, { column, of }: Column, type: RowType): number {
  const text = of.includes(type) ? cell(column) : '';
  if (text === '') return Number.NaN;
  if (column === 'status') return Number(/^(?:UP|OPEN|no check)/.test(text));
  return Number(text);
}
