import type { Sample } from './exposition.ts';

/** One metric in an expression, with its matchers. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly {
    readonly label: string;
    readonly isRegex: boolean;
    readonly value: string;
  }[];
}

/** The labels that Prometheus adds to each sample of a target (docs/monitoring.md). */
export const targetLabels: readonly string[] = ['job', 'instance', 'cluster'];

/** Strings occur only in braces, and a name inside one (a job's) has no `_`. */
const METRIC = /\b((?:hawser|haproxy|process|template)_\w+|up)\b(?:\{([^}]*)\})?/g;

export function selectorsIn(expression: string): readonly Selector[] {
  return [...expression.matchAll(METRIC)].map(([, metric = '', braces = '']) => ({
    metric,
    matchers: [...braces.matchAll(/(\w+)(=~|=)"([^"]*)"/g)].map(([, label = '', operator, value = '']) => ({
      label,
      isRegex: operator === '=~',
      value,
    })),
  }));
}

/** The labels by which an expression groups or joins. */
export function groupingsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
}

export function selects({ metric, matchers }: Selector, sample: Sample): boolean {
  return (
    sample.name === metric &&
    matchers
      .filter(({ label }) => !targetLabels.includes(label))
      .every(({ label, isRegex, value }) =>
        isRegex
          ? new RegExp(`^(?:${value})$`).test(sample.labels[label] ?? '')
          : sample.labels[label] === value,
      )
  );
}
