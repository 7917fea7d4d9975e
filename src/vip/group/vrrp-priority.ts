import { type Addend, pointsOf, TRACK } from '../../keepalived/track-value.ts';

/** As many nodes as have a priority of their own; the rest of a larger cluster does not join. */
export const maxGroupSize = 200;

/** The first node by name. High, because a backup waits (256 - priority) / 256 of an interval before it takes over. */
const highest = 220;
/** Far enough apart that two backups do not find a master dead in the same instant. */
const widestSpacing = 10;
/** All of up to 29 nodes lie within this, less than `TRACK.healthyHolder`: the holder of the VIP keeps it against any of them. */
export const prioritySpread = 28;

/**
 * The priority of a node's instance before its health is added. Different for every node of a group (equal ones make two holders at once), and given by the place of its name in the sorted list, not by who came
 * when: 220, 210, 200; 7 apart with five nodes. From the 30th node on they are one apart, and a holder that comes late
 * in the list may have to give the VIP back to one that comes early. `index` counts from 0 and is below `maxGroupSize`.
 */
export function vrrpPriority(index: number, groupSize: number): number {
  const spacing = groupSize < 2 ? 0 : Math.floor(prioritySpread / (groupSize - 1));
  return highest - index * Math.min(widestSpacing, Math.max(1, spacing));
}

/** How a priority comes about: `priorityTerms` add up to `priority`, the place in the list first. */
interface PrioritySum {
  readonly priorityTerms: readonly Addend[];
  readonly priority: number;
}

/**
 * keepalived's sum of an instance's priority and a track file's value; 0 in FAULT, which it advertises to its peers.
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

/** Why an instance has its priority before health is added. `peers` are the priorities of the others in its group. */
export function baseAddend(priority: number, peers: readonly number[]): Addend {
  const place = 1 + peers.filter((each) => each > priority).length;
  return { points: priority, why: `place ${place} of ${peers.length + 1} in the list` };
}
