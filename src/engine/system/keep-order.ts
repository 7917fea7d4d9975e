/**
 * Sorts a list that is sorted again each time some of its items change: those that stay are in their order already, and a sort that
 * finds them so looks at each once. Two different items must not compare as equal: then the order follows from the items alone.
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
