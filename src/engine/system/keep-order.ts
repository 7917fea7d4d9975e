/**
 * Sorts a list again after some of its items changed: the rest is in order already, and a sort compares those once. Different items must not
 * compare as equal, so that the order depends on the items alone.
 */
export function keepOrder<T>(compare: (one: T, other: T) => number): (items: readonly T[]) => readonly T[] {
  let sorted: readonly T[] = [];
  return (items) => {
    const isNew = new Set(items);
    const stayed = sorted.filter((each) => isNew.delete(each));
    sorted = [...stayed, ...isNew].sort(compare);
    return sorted;
  };
}
