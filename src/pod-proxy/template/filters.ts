import { isMap, isTrue, itemsOf, numberOf, textOf, type Value } from './value.ts';

/** A filter reads only its arguments. Templates can pass at most as many values as the function declares. */
export type Filter = (...values: readonly Value[]) => Value;

const table: Readonly<Record<string, Filter>> = {
  abs: (value) => Math.abs(numberOf(value)),
  capitalize: (value) => capitalized(textOf(value)),
  default: instead,
  d: instead,
  dictsort: (value, isCaseSensitive) => {
    if (!isMap(value)) throw new Error('dictsort sorts something other than a map, expected a map');
    return [...value].toSorted(([a], [b]) => compare(a, b, isCaseSensitive));
  },
  first: (value) => itemsOf(value)[0],
  float: (value, otherwise) => parsed(Number.parseFloat(textOf(value)), otherwise),
  indent: (value, width, isFirstToo) => {
    const space = ' '.repeat(numberOf(width ?? 4));
    const indented = textOf(value).replaceAll('\n', `\n${space}`);
    return isTrue(isFirstToo) && indented !== '' ? `${space}${indented}` : indented;
  },
  int: (value, otherwise, base) => parsed(Number.parseInt(textOf(value), numberOf(base ?? 10)), otherwise),
  join: (value, delimiter) => itemsOf(value).map(textOf).join(textOf(delimiter)),
  last: (value) => itemsOf(value).at(-1),
  length: (value) => itemsOf(value).length,
  list: (value) => itemsOf(value),
  lower: (value) => textOf(value).toLowerCase(),
  replace: (value, old, replacement, count) => {
    let left = count === undefined ? Number.POSITIVE_INFINITY : numberOf(count);
    return textOf(value).replaceAll(textOf(old), (found) => (left-- > 0 ? textOf(replacement) : found));
  },
  reverse: (value) => {
    const reversed = itemsOf(value).toReversed();
    return typeof value === 'string' ? reversed.join('') : reversed;
  },
  round: (value, precision, method) => {
    const factor = 10 ** numberOf(precision ?? 0);
    const rounding = method === 'ceil' || method === 'floor' ? method : 'round';
    return Math[rounding](numberOf(value) * factor) / factor;
  },
  sort: (value, isReverse, isCaseSensitive) => {
    const sign = isTrue(isReverse) ? -1 : 1;
    return itemsOf(value).toSorted((a, b) => sign * compare(a, b, isCaseSensitive));
  },
  string: (value) => textOf(value),
  title: (value) => textOf(value).split(' ').map(capitalized).join(' '),
  trim: (value) => textOf(value).trim(),
  upper: (value) => textOf(value).toUpperCase(),
};

export const filters: ReadonlyMap<string, Filter> = new Map(Object.entries(table));

/** Compares two numbers or two strings. Throws for other values. */
export function compare(a: Value, b: Value, isCaseSensitive: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== 'string' || typeof b !== 'string')
    throw new Error('it compares values of different kinds, expected two numbers or two strings');
  const [left, right] = isTrue(isCaseSensitive) ? [a, b] : [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function instead(value: Value, other: Value, isForFalse: Value): Value {
  const counts = isTrue(isForFalse) ? isTrue(value) : value !== undefined;
  return counts ? value : other;
}

function parsed(number: number, otherwise: Value): Value {
  return Number.isNaN(number) ? (otherwise ?? 0) : number;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}
