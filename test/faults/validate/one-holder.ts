import { holdingsOf, type Stretch } from '../../helpers/vrrp/holdings.ts';
import type { Verdict } from './verdict.ts';
import { type FaultWindow, faultsNear, isStarved, keptByFaults, minus, relative, type View } from './view.ts';

/** keepalived sends its priority 0 advert before it removes the address. */
const HAND_OVER_MS = 10;

/** V1: compares the holders the kernels report with what the faults may cause. */
export function oneHolder(view: View): Verdict {
  const held = holdingsOf(view.holdings);
  const overlaps = overlapsOf(view);
  const unexcused = minus(overlaps, [
    ...view.faults.flatMap(excuse),
    ...unheardRemovals(view),
    ...keptByFaults(view),
  ]);
  const within = (stretch: Stretch) =>
    held.filter((each) => each.fromMs < stretch.toMs && stretch.fromMs < each.toMs);
  const violations = unexcused
    .filter(({ fromMs, toMs }) => toMs - fromMs > HAND_OVER_MS)
    .map((stretch) => ({
      atMs: stretch.fromMs,
      what: `two nodes hold the VIP for ${Math.round(stretch.toMs - stretch.fromMs)} ms`,
      proof: [
        ...within(stretch).map(
          ({ node, fromMs, toMs }) =>
            `${node} has it ${relative(fromMs, stretch.fromMs)} to ${relative(toMs, stretch.fromMs)}`,
        ),
        ...faultsNear(view, stretch.fromMs, stretch.toMs),
      ],
      starved: isStarved(view, stretch.fromMs, stretch.toMs),
    }));
  const handOvers = unexcused.filter(({ fromMs, toMs }) => toMs - fromMs <= HAND_OVER_MS);
  const longest = Math.max(0, ...handOvers.map(({ fromMs, toMs }) => toMs - fromMs));
  return {
    name: 'V1',
    claim: 'at most one node holds the VIP outside a partition',
    judged: held.length,
    violations,
    notes:
      handOvers.length === 0
        ? []
        : [`${handOvers.length} hand-overs with two holders, the longest ${longest.toFixed(1)} ms`],
  };
}

function excuse({ fromMs, toMs, bound, apart }: FaultWindow): readonly Stretch[] {
  const lasts = bound.lasting || apart.length > 0;
  if (bound.twoHoldersMs === 0 && !lasts) return [];
  return [{ fromMs, toMs: (lasts ? toMs : fromMs) + bound.twoHoldersMs }];
}

/**
 * A node that is no longer listed leaves once it reads the list. Another fault may keep it from reading while the other
 * nodes have already dropped it. So two holders prove nothing until the next rest.
 */
function unheardRemovals({ faults, rests }: View): readonly Stretch[] {
  const removals = faults.filter(({ name }) =>
    ['remove-member', 'replace-node', 'api-lie', 'api-lie-everywhere'].includes(name),
  );
  return removals.flatMap(({ episode, fromMs, id }) => {
    const others = faults.filter((each) => each.episode === episode && each.id !== id);
    const rest = rests.find((each) => each.episode === episode);
    return others.length === 0 || rest === undefined ? [] : [{ fromMs, toMs: rest.atMs }];
  });
}

function overlapsOf({ holdings, startMs, endMs }: View): readonly Stretch[] {
  const edges = holdingsOf(holdings)
    .flatMap(({ fromMs, toMs }) => [
      { atMs: fromMs, change: 1 },
      { atMs: Math.min(toMs, endMs), change: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.change - b.change);
  const found: Stretch[] = [];
  let count = 0;
  let sinceMs = 0;
  for (const { atMs, change } of edges) {
    if (count > 1 && atMs > sinceMs && atMs > startMs)
      found.push({ fromMs: Math.max(sinceMs, startMs), toMs: atMs });
    count += change;
    sinceMs = atMs;
  }
  return joined(found);
}

/** Merges adjacent stretches, as when three holders become two. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const each of stretches) {
    const last = all.at(-1);
    if (last?.toMs === each.fromMs) all[all.length - 1] = { fromMs: last.fromMs, toMs: each.toMs };
    else all.push(each);
  }
  return all;
}
