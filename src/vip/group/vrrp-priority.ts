import { type Addend, pointsOf, TRACK } from '../../keepalived/track-value.ts';

/** The number of nodes that can have distinct priorities. In a larger cluster, the other nodes do not join. */
export const maxGroupSize = 200;

/** The priority of the first node by name. It is high, because a backup waits (256 - priority) / 256 of an interval before it takes over. */
const highest = 220;
/** Wide enough that two backups do not declare a master dead at the same moment. */
const widestSpacing = 10;
/** The spread of up to 29 nodes. It is less than `TRACK.healthyHolder`, so a healthy holder keeps the VIP against any of them. */
export const prioritySpread = 28;

/**
 * The priority of a node's instance before its health is added. Priorities are distinct within a group, because equal ones can make
 * two holders. They depend on the index of the node's name in the sorted list, not on when the node joined: 220, 210, 200; with five
 * nodes 7 apart. From 30 nodes on they are one apart, and a holder late in the list may lose the VIP to a node early in it. `index`
 * counts from 0 and is less than `maxGroupSize`.
 */
export function vrrpPriority(index: number, groupSize: number): number {
  const spacing = groupSize < 2 ? 0 : Math.floor(prioritySpread / (groupSize - 1));
  return highest - index * Math.min(widestSpacing, Math.max(1, spacing));
}

/** The terms of a priority. `priorityTerms` add up to `priority`; the first is the base priority. */
interface PrioritySum {
  readonly priorityTerms: readonly Addend[];
  readonly priority: number;
}

/**
 * keepalived's sum of an instance's priority and a track file's value; 0 in FAULT, which keepalived advertises to its peers.
 */
export function prioritySum(base: Addend, track: readonly Addend[]): PrioritySum {
  const added = pointsOf(track);
  if (added <= TRACK.fault) {
    const why = `FAULT: ${track.map((each) => each.why).join('; ')}`;
    return { priorityTerms: [base, { points: -base.points, why }], priority: 0 };
  }
  const sum = base.points + added;
  const priority = Math.min(254, Math.max(1, sum));
  const bound = { points: priority - sum, why: 'keepalived counts from 1 to 254' };
  return { priorityTerms: [base, ...track, ...(priority === sum ? [] : [bound])], priority };
}

/** The first term of an instance's priority, before health is added. `peers` are the priorities of the other nodes of the group. */
export function baseAddend(priority: number, peers: readonly number[]): Addend {
  const place = 1 + peers.filter((each) => each > priority).length;
  return { points: priority, why: `place ${place} of ${peers.length + 1} in the list` };
}
