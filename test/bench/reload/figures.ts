/** Several measurements of one thing. Has `max` as well as the median, because on call the worst case is what hurts. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** Null if it did not happen within the scenario's timeout. The unit is in the figure's name. */
export type Figure = number | boolean | null | Spread;
export type Figures = Readonly<Record<string, Figure>>;

export type Target =
  | { readonly kind: 'at-most'; readonly value: number }
  | { readonly kind: 'at-least'; readonly value: number }
  | { readonly kind: 'is'; readonly value: boolean };
export type Targets = Readonly<Record<string, Target>>;

/** Null for an empty list. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const min = sorted.at(0);
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return null;
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? min;
  const high = sorted[Math.floor(middle)] ?? max;
  return { median: (low + high) / 2, min, max, count: sorted.length };
}

/** The worst measurement has to meet the target. What did not happen meets none. */
export function meets(figure: Figure, target: Target): boolean {
  if (figure === null) return false;
  if (typeof figure === 'boolean') return target.kind === 'is' && figure === target.value;
  switch (target.kind) {
    case 'at-most':
      return (typeof figure === 'number' ? figure : figure.max) <= target.value;
    case 'at-least':
      return (typeof figure === 'number' ? figure : figure.min) >= target.value;
    case 'is':
      return false;
  }
}

/** The largest number of `times` within any window of `windowMs`: how clustered they are. */
export function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [index, time] of sorted.entries()) {
    while (time - (sorted[first] ?? time) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
