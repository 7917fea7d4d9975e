import { formatNumber } from '../reload/table.ts';
import { type Figure, figureAt, type ResultFile } from './results.ts';

/** How much two runs of the same program may differ. */
const allowance = 0.03;

export interface Goal {
  readonly atMost?: number;
  readonly atLeast?: number;
  /** At least as good as this column's median, within the allowance. */
  readonly asGoodAs?: string;
  /** Default: the median. */
  readonly of?: 'median' | 'max';
  /** Default: the first column. */
  readonly column?: string;
}

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  /** A `BENCH#path` for each column. */
  readonly cells: Readonly<Record<string, string>>;
  readonly goal?: Goal;
  /** Factor from the unit in the JSON to the row's unit. */
  readonly scale?: number;
  /** Printed if another column is better: why that may be. */
  readonly why?: string;
}

export interface Section {
  readonly title: string;
  /** Markdown. */
  readonly about: string;
  /** Titles by key. The first column is hawser's, and the others are compared with it. */
  readonly columns: Readonly<Record<string, string>>;
  /** The columns are not compared with each other. */
  readonly isPlain?: boolean;
  readonly rows: readonly Row[];
  readonly chart?: {
    readonly name: string;
    readonly title: string;
    readonly scale: 'linear' | 'log';
    readonly unit: string;
  };
}

type Median = Extract<Figure, { readonly median: number }>;

/** The figure of a cell in the row's unit. */
export function figureOfCell(results: readonly ResultFile[], row: Row, column: string): Figure | undefined {
  const reference = row.cells[column];
  const figure = reference === undefined ? undefined : figureAt(results, reference);
  if (!isMedian(figure)) return figure;
  const { scale = 1 } = row;
  const scaled = (value: number | undefined) => (value === undefined ? undefined : value * scale);
  const { median, min, max, count } = figure;
  return Object.fromEntries(
    Object.entries({ median: median * scale, min: scaled(min), max: scaled(max), count }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as unknown as Median;
}

export function isMedian(figure: Figure | undefined): figure is Median {
  return typeof figure === 'object' && figure !== null;
}

/** The table, followed by a line for each row in which another column beats the first. */
export function formatSection(results: readonly ResultFile[], section: Section): string {
  const columns = Object.entries(section.columns).filter(([key]) =>
    section.rows.some(({ cells }) => cells[key] !== undefined),
  );
  const hasGoals = section.rows.some(({ goal }) => goal !== undefined);
  const heading = ['', ...columns.map(([, title]) => title), ...(hasGoals ? ['goal', ''] : [])];
  const lines = section.rows.map((row) => [
    `${row.what}${row.unit === '' ? '' : `, ${row.unit}`}`,
    ...columns.map(([key]) =>
      row.cells[key] === undefined ? '–' : formatFigure(figureOfCell(results, row, key)),
    ),
    ...(hasGoals ? goalCells(results, section, row) : []),
  ]);
  const table = [heading, heading.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  const words = section.isPlain ? [] : section.rows.flatMap((row) => betterThan(results, section, row));
  return [...table, ...(words.length > 0 ? ['', 'Better than hawser:', '', ...words] : [])].join('\n');
}

/** `669 (632–735, n=40)`, or `9900 (n=15)` if all values are the same. */
export function formatFigure(figure: Figure | undefined): string {
  if (figure === undefined) return 'not run';
  if (figure === null) return 'never';
  if (typeof figure === 'boolean') return figure ? 'yes' : 'no';
  const { median, min, max, count = 1 } = figure;
  if (max === undefined || count === 1) return formatNumber(median);
  if (min === max) return `${formatNumber(median)} (n=${count})`;
  const range = min === undefined ? `max ${formatNumber(max)}` : `${formatNumber(min)}–${formatNumber(max)}`;
  return `${formatNumber(median)} (${range}, n=${count})`;
}

function goalCells(results: readonly ResultFile[], section: Section, row: Row): readonly string[] {
  const { goal } = row;
  if (goal === undefined) return ['', ''];
  const column = goal.column ?? Object.keys(section.columns)[0] ?? '';
  const figure = figureOfCell(results, row, column);
  const of = goal.of === 'max' ? 'max ' : '';
  const words = [
    ...(goal.atMost === undefined ? [] : [`${of}≤ ${formatNumber(goal.atMost)}`]),
    ...(goal.atLeast === undefined ? [] : [`${of}≥ ${formatNumber(goal.atLeast)}`]),
    ...(goal.asGoodAs === undefined ? [] : [`≤ ${formatNumber(allowance * 100)} % worse`]),
  ].join(', ');
  const verdict = isGoalMet(results, row, goal, figure);
  return [words, verdict === undefined ? 'not run' : verdict ? 'met' : '**not met**'];
}

/** Undefined if it was not measured. An event that never happened does not meet a goal. */
function isGoalMet(
  results: readonly ResultFile[],
  row: Row,
  goal: Goal,
  figure: Figure | undefined,
): boolean | undefined {
  if (figure === undefined) return undefined;
  if (!isMedian(figure)) return false;
  const rival = goal.asGoodAs === undefined ? undefined : figureOfCell(results, row, goal.asGoodAs);
  if (goal.asGoodAs !== undefined && !isMedian(rival)) return undefined;
  const value = goal.of === 'max' ? (figure.max ?? figure.median) : figure.median;
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = goal;
  const isAsGood =
    !isMedian(rival) ||
    (row.better === 'less'
      ? figure.median <= rival.median * (1 + allowance)
      : figure.median >= rival.median * (1 - allowance));
  return value <= atMost && value >= atLeast && isAsGood;
}

function betterThan(results: readonly ResultFile[], section: Section, row: Row): readonly string[] {
  const [[own] = [''], ...others] = Object.entries(section.columns);
  const figure = figureOfCell(results, row, own);
  if (!isMedian(figure)) return [];
  const better = others.flatMap(([key, title]) => {
    const rival = figureOfCell(results, row, key);
    if (!isMedian(rival)) return [];
    const isBetter = row.better === 'less' ? rival.median < figure.median : rival.median > figure.median;
    return isBetter ? title : [];
  });
  if (better.length === 0) return [];
  const why = row.why === undefined ? '' : ` ${row.why}`;
  return [`- ${row.what}: ${better.join(', ')}.${why}`];
}
