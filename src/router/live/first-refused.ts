/** What came of a search; `unknown`: a check could not be made. */
export type Search<T> =
  | { readonly kind: 'found'; readonly item: T }
  /** It is none of them: HAProxy refuses the configuration without any. */
  | { readonly kind: 'none' | 'unknown' };

/**
 * The first item with which what is made of it and all before it is refused. Whatever the others are like, leaving it out makes more of them
 * acceptable. It takes as many checks as the number of items has binary digits, and two more. `check` is undefined where it could not be made.
 */
export async function firstRefused<T>(
  items: readonly T[],
  isTaken: (items: readonly T[]) => Promise<boolean | undefined>,
): Promise<Search<T>> {
  let [taken, refused] = [0, items.length];
  const before = await isTaken([]);
  if (before === undefined) return { kind: 'unknown' };
  if (!before) return { kind: 'none' };
  // Of the first `taken` it is known that they are taken, of the first `refused` that they are not.
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const answer = await isTaken(items.slice(0, middle));
    if (answer === undefined) return { kind: 'unknown' };
    if (answer) taken = middle;
    else refused = middle;
  }
  const item = items[taken];
  return item === undefined ? { kind: 'none' } : { kind: 'found', item };
}
