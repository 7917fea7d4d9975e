import { type Figure, type Figures, meets, type Target, type Targets } from './figures.ts';

/** One scenario's figures for every measured subject. */
export interface ScenarioResult {
  readonly hawser?: Figures;
  readonly shell?: Figures;
  readonly target: Targets;
}

/** At most 100 columns, including the gaps. */
const widths = [26, 24, 24, 11, 6] as const;

/** The rows of one scenario, heading first. A missed target is in capitals. */
export function formatScenario(name: string, about: string, result: ScenarioResult): string {
  const names = new Set(
    [result.hawser, result.shell, result.target].flatMap((each) => Object.keys(each ?? {})),
  );
  const rows = [...names].map((metric) => {
    const target = result.target[metric];
    const figure = result.hawser?.[metric];
    const met = target === undefined || figure === undefined ? '' : meets(figure, target) ? 'yes' : 'MISSED';
    return row([
      `  ${metric}`,
      formatFigure(figure),
      formatFigure(result.shell?.[metric]),
      formatTarget(target),
      met,
    ]);
  });
  return [`${name}: ${about}`, ...rows, ''].join('\n');
}

export function tableHeading(): string {
  return `${row(['', 'hawser', 'shell', 'target', 'met'])}\n${'-'.repeat(100)}`;
}

/** `96 (81-140, n=30)`; a dash if it was not measured, `never` if the event did not happen. */
export function formatFigure(figure: Figure | undefined): string {
  if (figure === undefined) return '-';
  if (figure === null) return 'never';
  if (typeof figure === 'boolean') return figure ? 'yes' : 'no';
  if (typeof figure === 'number') return formatNumber(figure);
  const { median, min, max, count } = figure;
  return `${formatNumber(median)} (${formatNumber(min)}-${formatNumber(max)}, n=${count})`;
}

export function missedTargets(result: ScenarioResult): readonly string[] {
  const hawser = result.hawser;
  if (hawser === undefined) return [];
  return Object.entries(result.target)
    .filter(([metric, target]) => !meets(hawser[metric] ?? null, target))
    .map(([metric]) => metric);
}

export function formatTarget(target: Target | undefined): string {
  if (target === undefined) return '';
  if (target.kind === 'is') return target.value ? 'yes' : 'no';
  return `${target.kind === 'at-most' ? '<=' : '>='} ${formatNumber(target.value)}`;
}

export function formatNumber(value: number): string {
  return Number.isInteger(value) || value >= 100
    ? String(Math.round(value))
    : value.toFixed(value < 10 ? 2 : 1);
}

function row(cells: readonly [string, string, string, string, string]): string {
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd();
}
