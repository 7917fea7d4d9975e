const none: readonly never[] = [];

/**
 * The same items in a list without room for more, and one list for all that are empty. V8 leaves room for sixteen items in a list that grew,
 * however few it has: of tens of thousands of small lists that stay, that is most of the memory.
 */
export function exactList<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list.slice();
}
