const none: readonly never[] = [];

/**
 * Copies to a list without spare capacity; all empty lists are one object. V8 reserves room for sixteen items in a list that grew: with tens of
 * thousands of small long-lived lists, that is most of the memory.
 */
export function exactList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list.slice();
}
