import type { Downstream } from './hosts.ts';
import type { Problem } from './proxy-status.ts';

/** Of one group. */
export const MAX_GROUP_ADDRESSES = 2_000;
/** Of all groups: a template has 100 characters for each before it prints too much. */
export const MAX_ADDRESSES = 5_000;

interface Limited {
  readonly downstreams: readonly Downstream[];
  /** Undefined where every address is used. It does not change with each pod that comes or goes. */
  readonly problem: Problem | undefined;
}

/**
 * Cuts groups with too many addresses, so that one group cannot stop the others from being served. A group keeps its first addresses in the
 * order given. If all groups together have too many, the largest are cut to the same size and the small ones stay whole.
 */
export function limitGroups(downstreams: readonly Downstream[]): Limited {
  const counts = countsOf(downstreams);
  const share = Math.max(1, shareOf([...counts.values()], MAX_ADDRESSES));
  const size = Math.min(MAX_GROUP_ADDRESSES, share);
  const used = new Map<string, number>();
  const kept = downstreams.filter(({ group }) => {
    const before = used.get(group) ?? 0;
    used.set(group, before + 1);
    return before < size;
  });
  return { downstreams: kept.slice(0, MAX_ADDRESSES), problem: problemOf(counts, share) };
}

function countsOf(downstreams: readonly Downstream[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { group } of downstreams) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

/** The largest size to which each group can be cut so that all have at most `limit` together. */
function shareOf(counts: readonly number[], limit: number): number {
  let left = limit;
  const ascending = counts.map((count) => Math.min(count, MAX_GROUP_ADDRESSES)).toSorted((a, b) => a - b);
  for (const [index, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (count > share) return share;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}

function problemOf(counts: ReadonlyMap<string, number>, share: number): Problem | undefined {
  const reason = 'AddressesLimited';
  const first = [...counts].find(([, count]) => count > MAX_GROUP_ADDRESSES)?.[0];
  if (first !== undefined)
    return {
      reason,
      message: `Cannot use all addresses of group "${first}": it has more than MAX_GROUP_ADDRESSES (${MAX_GROUP_ADDRESSES}), and only the first by name are used`,
    };
  if (share === Number.POSITIVE_INFINITY) return undefined;
  return {
    reason,
    message: `Cannot use all addresses: the groups have more than MAX_ADDRESSES (${MAX_ADDRESSES}) together, and the largest are cut`,
  };
}
