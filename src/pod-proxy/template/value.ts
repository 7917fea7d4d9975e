import { type Budget, mustBePrintable } from './budget.ts';

/** What an expression of a template can give. A map is a Map: no lookup in it reaches a prototype. */
export type Value = string | number | boolean | null | undefined | readonly Value[] | ValueMap;
export type ValueMap = ReadonlyMap<string, Value>;

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ValueMap {
  return value instanceof Map;
}

/** As it is printed. A list that holds one list twice, and so on, would be as long as two to the power of its depth. */
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

/** What a loop goes over: what is undefined has no items, and a map has its keys. */
export function itemsOf(value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (isMap(value)) return [...value.keys()];
  if (typeof value === 'string') return [...value];
  if (value === undefined || value === null) return [];
  throw new Error(`it takes the items of ${shown(value)}, expected a list, a map or a text`);
}

/** As in Python: a list or a map without items is false. */
export function isTrue(value: Value): boolean {
  return isList(value) || isMap(value) ? sizeOf(value) > 0 : Boolean(value);
}

/** Pays for each pair that it compares. */
export function isEqual(a: Value, b: Value, budget: Pick<Budget, 'spend'>): boolean {
  budget.spend(1);
  if (!isList(a) || !isList(b)) return (a ?? null) === (b ?? null);
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index], budget));
}

/** How much there is to read of it. */
export function sizeOf(value: Value): number {
  if (isMap(value)) return value.size;
  return isList(value) || typeof value === 'string' ? value.length : 0;
}

/** In a message. */
export function shown(value: Value): string {
  if (isMap(value)) return 'a map';
  if (isList(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : `${value}`;
}
