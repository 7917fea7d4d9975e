import { escapedLabel } from '../../engine/observe/metrics-registry.ts';
import { type Column, columns, type RowType } from './columns.ts';
import type { StatisticsRow } from './statistics-rows.ts';
import type { StatisticsTotals } from './statistics-totals.ts';

const types: readonly RowType[] = ['frontend', 'backend', 'server'];
/** The labels for a product's names of proxies and servers. */
export type RowLabels = (row: Pick<StatisticsRow, 'type' | 'key'>) => Readonly<Record<string, string>>;

/** About 50 KB. */
const LINES_A_PIECE = 500;

/** The `haproxy_*` series in Prometheus' text format, in pieces: for ten thousand routes they are 22 MB, which the process never holds at once. */
export function* statisticsPage(
  rows: readonly StatisticsRow[],
  chosen: readonly Column[],
  totals: StatisticsTotals,
  labelsOf: RowLabels,
): Generator<string> {
  for (const type of types) {
    const own = rows
      .filter((row) => row.type === type)
      .map((row) => ({ row, labels: textOf(labelsOf(row)) }));
    const metrics = new Set(chosen.filter(({ of }) => of.includes(type)).map(({ metric }) => metric));
    for (const metric of metrics) {
      const family = chosen.filter((column) => column.metric === metric && column.of.includes(type));
      yield* familyText(`haproxy_${type}_${metric}`, family, own, { chosen, totals });
    }
  }
}

function textOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapedLabel(value)}"`)
    .join(',');
}

interface LabelledRow {
  readonly row: StatisticsRow;
  readonly labels: string;
}

function* familyText(
  name: string,
  family: readonly Column[],
  rows: readonly LabelledRow[],
  page: { readonly chosen: readonly Column[]; readonly totals: StatisticsTotals },
): Generator<string> {
  let lines: string[] = [];
  let hasBegun = false;
  for (const column of family) {
    const index = page.chosen.indexOf(column);
    const code = column.code === undefined ? '' : `,code="${column.code}"`;
    for (const { row, labels } of rows) {
      if (Number.isNaN(row.values[index])) continue;
      if (!hasBegun) lines.push(`# HELP ${name} ${column.help}\n# TYPE ${name} ${column.type}\n`);
      hasBegun = true;
      const values = column.type === 'counter' ? page.totals.of(row) : row.values;
      lines.push(`${name}{${labels}${code}} ${values[index]}\n`);
      if (lines.length < LINES_A_PIECE) continue;
      yield lines.join('');
      lines = [];
    }
  }
  if (hasBegun) yield `${lines.join('')}\n`;
}

/** The columns with these numbers, in the order of HAProxy's statistics. */
export function chosenColumns(indexes: readonly number[]): readonly Column[] {
  const chosen = new Set(indexes);
  return columns.filter(({ index }) => chosen.has(index));
}
