/** Whether two lists have identical items, not just equal ones, in the same order. */
export function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one === other || (one.length === other.length && one.every((each, index) => each === other[index]));
}

/** Length of the common prefix of two lists, and of the common suffix of what follows it. */
export function changedSpan<T>(
  one: readonly T[],
  other: readonly T[],
): { readonly start: number; readonly end: number } {
  const most = Math.min(one.length, other.length);
  let start = 0;
  let end = 0;
  while (start < most && one[start] === other[start]) start += 1;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return { start, end };
}

/**
 * Memoises the last result of a function while its lists have identical items. The result must depend only on the lists, and the items must not
 * change.
 */
export function whileSame<Lists extends readonly (readonly unknown[])[], V>(
  make: (...lists: Lists) => V,
): (...lists: Lists) => V {
  let last: { readonly lists: Lists; readonly value: V } | undefined;
  return (...lists) => {
    const isAsBefore = last?.lists.every((list, index) => isSameList(list, lists[index] ?? []));
    if (last === undefined || isAsBefore !== true) last = { lists, value: make(...lists) };
    return last.value;
  };
}
