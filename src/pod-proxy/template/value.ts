import { type Budget, mustBePrintable } from './budget.ts';

/** The values of a template's expressions. A map is a Map: no lookup in it reaches a prototype. */
export type Value = string | number | boolean | null | undefined | readonly Value[] | ValueMap;
export type ValueMap = ReadonlyMap<string, Value>;

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ValueMap {
  return value instanceof Map;
}

/** Its printed form. A list that contains one list twice, and so on, would be as long as two to the power of its depth. */
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

/** The items of a loop: an undefined value has none, and a map has its keys. */
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

/** The budget is charged for each compared pair. */
export function isEqual(a: Value, b: Value, budget: Pick<Budget, 'spend'>): boolean {
  budget.spend(1);
  if (!isList(a) || !isList(b)) return (a ?? null) === (b ?? null);
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index], budget));
}

/** The size of its readable content. */
export function sizeOf(value: Value): number {
  if (isMap(value)) return value.size;
  return isList(value) || typeof value === 'string' ? value.length : 0;
}

/** Its form in a message. */
export function shown(value: Value): string {
  if (isMap(value)) return 'a map';
  if (isList(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : `${value}`;
}
