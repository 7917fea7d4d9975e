/** Whether two lists have the same items in the same order: the same objects, not equal ones. */
export function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one === other || (one.length === other.length && one.every((each, index) => each === other[index]));
}

/**
 * The same function, which gives its last answer again while its lists have the same objects. The answer must follow from them alone, and the
 * objects must not change.
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
