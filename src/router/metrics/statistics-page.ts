import { type Column, columns, type RowType } from './columns.ts';
import { labelsOf } from './row-labels.ts';
import type { StatisticsRow } from './statistics-rows.ts';
import type { StatisticsTotals } from './statistics-totals.ts';

const types: readonly RowType[] = ['frontend', 'backend', 'server'];

/**
 * The `haproxy_*` series in Prometheus' text format, a family at a time: of ten thousand routes they are 25 MB together, of
 * which the process never holds more than a twentieth.
 */
export function* statisticsPage(
  rows: readonly StatisticsRow[],
  chosen: readonly Column[],
  totals: StatisticsTotals,
): Generator<string> {
  for (const type of types) {
    const own = rows.filter((row) => row.type === type).map((row) => ({ row, labels: labelsOf(row) }));
    const metrics = new Set(chosen.filter(({ of }) => of.includes(type)).map(({ metric }) => metric));
    for (const metric of own.length === 0 ? [] : metrics) {
      const family = chosen.filter((column) => column.metric === metric && column.of.includes(type));
      yield familyText(`haproxy_${type}_${metric}`, family, (column, lines) => {
        const index = chosen.indexOf(column);
        for (const { row, labels } of own) {
          if (Number.isNaN(row.values[index])) continue;
          const values = column.type === 'counter' ? totals.of(row) : row.values;
          const code = column.code === undefined ? '' : `,code="${column.code}"`;
          lines.push(`{${labels}${code}} ${values[index]}`);
        }
      });
    }
  }
}

function familyText(
  name: string,
  family: readonly Column[],
  fill: (column: Column, lines: string[]) => void,
): string {
  const [first] = family;
  const lines: string[] = [];
  for (const column of family) fill(column, lines);
  if (first === undefined || lines.length === 0) return '';
  const head = `# HELP ${name} ${first.help}\n# TYPE ${name} ${first.type}\n`;
  return `${head}${lines.map((line) => `${name}${line}\n`).join('')}\n`;
}

/** The columns with these numbers, in the order of HAProxy's statistics. */
export function chosenColumns(indexes: readonly number[]): readonly Column[] {
  const wanted = new Set(indexes);
  return columns.filter(({ index }) => wanted.has(index));
}
