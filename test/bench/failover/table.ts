import { type Fault, type Metric, metrics } from './fault.ts';
import { type FaultResult, isMet, type SubjectResult } from './report.ts';
import { subjects } from './subject.ts';

/** At most 100 columns, including the gaps. */
const widths = [20, 18, 18, 18, 15, 6] as const;

export function tableHeading(): string {
  return `${row(['median / max / n', ...subjects, 'target', 'met'])}\n${'-'.repeat(100)}`;
}

/** The rows of one fault: heading, headline, other metrics. A missed target is in capitals. */
export function formatFault(fault: Fault, result: FaultResult): string {
  const seen = metrics.filter((metric) =>
    subjects.some((name) => result[name]?.metrics[metric] !== undefined),
  );
  const ordered = [fault.headline, ...seen.filter((metric) => metric !== fault.headline)];
  const failed = subjects.flatMap((name) => {
    const count = result[name]?.failed ?? 0;
    return count === 0 ? [] : [`  ${name}: ${count} trials FAILED and are not in the figures`];
  });
  const rows = ordered.map((metric) => metricRow(fault, result, metric));
  return [`${fault.name}: ${fault.about}`, ...rows, ...failed, ''].join('\n');
}

function metricRow(fault: Fault, result: FaultResult, metric: Metric): string {
  const target = fault.targets[metric];
  const figures = subjects.map((name) => formatSummary(result[name], metric));
  const { hawser } = result;
  const met =
    target === undefined || hawser === undefined ? '' : isMet(hawser, metric, target) ? 'yes' : 'MISSED';
  return row([
    `  ${metric}`,
    ...figures,
    target === undefined ? '' : `${target.of} <= ${target.atMost}`,
    met,
  ]);
}

/** A dash if nothing was measured or the event did not happen. */
function formatSummary(result: SubjectResult | undefined, metric: Metric): string {
  const summary = result?.metrics[metric];
  return summary === undefined
    ? '-'
    : `${Math.round(summary.median)} / ${Math.round(summary.max)} / ${summary.n}`;
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd();
}
