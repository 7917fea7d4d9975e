import { compareText } from '../../engine/system/text/compare-text.ts';

/** A route's share of a limit that all tenants share. */
interface Share<T> {
  readonly item: T;
  /** `namespace:name` */
  readonly key: string;
  readonly size: number;
}

/**
 * What has to go so that the others fit: out of the namespace that has most in all, its largest ones first. A tenant whose routes are many and
 * small loses them before another one loses a large route. The same for every order of the shares.
 */
export function beyondShare<T>(shares: readonly Share<T>[], room: number): readonly Share<T>[] {
  let total = shares.reduce((sum, { size }) => sum + size, 0);
  if (total <= room) return [];
  const namespaces = [...Map.groupBy(shares, ({ key }) => key.slice(0, key.indexOf(':')))]
    .map(([namespace, list]) => ({
      namespace,
      sum: list.reduce((sum, { size }) => sum + size, 0),
      // The next one to go is the last.
      list: list.toSorted((a, b) => a.size - b.size || compareText(a.key, b.key)),
    }))
    .sort((a, b) => a.sum - b.sum || compareText(a.namespace, b.namespace));
  const gone: Share<T>[] = [];
  for (let most = namespaces.pop(); most !== undefined && total > room; most = namespaces.pop()) {
    const next = namespaces.at(-1)?.sum ?? 0;
    do {
      const share = most.list.pop();
      if (share === undefined) break;
      gone.push(share);
      most.sum -= share.size;
      total -= share.size;
    } while (total > room && most.sum >= next);
    if (most.list.length > 0) namespaces.splice(placeOf(most.sum, namespaces), 0, most);
  }
  return gone;
}

/** The index of a sum in these namespaces, which are sorted. */
function placeOf(sum: number, namespaces: readonly { readonly sum: number }[]): number {
  let [low, high] = [0, namespaces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((namespaces[middle]?.sum ?? sum) < sum) low = middle + 1;
    else high = middle;
  }
  return low;
}
