import { type Budget, mustBePrintable } from './budget.ts';

/** The values of a template's expressions. Maps are instances of Map, so that no lookup reaches a prototype. */
export type Value = string | number | boolean | null | undefined | readonly Value[] | ValueMap;
export type ValueMap = ReadonlyMap<string, Value>;

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ValueMap {
  return value instanceof Map;
}

/** The printed form of a value. Limited, because nested lists that contain one list twice would double in length at every level. */
export function textOf(value: Value): string {
  if (isMap(value)) throw new Error('it prints a map, expected one of its values');
  if (!isList(value)) return `${value ?? ''}`;
  let text = '';
  for (const [index, item] of value.entries()) {
    text += `${index === 0 ? '' : ','}${textOf(item)}`;
    mustBePrintable(text.length);
  }
  return text;
}

export function numberOf(value: Value): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`it calculates with ${shown(value)}, expected a number`);
}

/** The items for a loop: the keys of a map; none for an undefined value. */
export function itemsOf(value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (isMap(value)) return [...value.keys()];
  if (typeof value === 'string') return [...value];
  if (value === undefined || value === null) return [];
  throw new Error(`it iterates over ${shown(value)}, expected a list, a map or a string`);
}

/** As in Python: a list or a map without items is false. */
export function isTrue(value: Value): boolean {
  return isList(value) || isMap(value) ? sizeOf(value) > 0 : Boolean(value);
}

/** Compares values. Spends one step of the budget for each compared pair. */
export function isEqual(a: Value, b: Value, budget: Pick<Budget, 'spend'>): boolean {
  budget.spend(1);
  if (!isList(a) || !isList(b)) return (a ?? null) === (b ?? null);
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index], budget));
}

/** The number of items or characters. */
export function sizeOf(value: Value): number {
  if (isMap(value)) return value.size;
  return isList(value) || typeof value === 'string' ? value.length : 0;
}

/** The value as text for a message. */
export function shown(value: Value): string {
  if (isMap(value)) return 'a map';
  if (isList(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : `${value}`;
}
