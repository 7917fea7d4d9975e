import type { VrrpProfile } from './vrrp.ts';

/** As many nodes as have a priority of their own; the rest of a larger cluster does not join. */
export const maxGroupSize = 200;

/** The first node by name. High, because a backup waits (256 - priority) / 256 of an interval before it takes over. */
const highest = 220;
/** Far enough apart that two backups do not find a master dead in the same instant. */
const widestSpacing = 10;
/** All of up to 29 nodes lie within this, less than `TRACK.healthyHolder`: whoever holds the VIP keeps it against any of them. */
export const prioritySpread = 28;

/** Above every node's full score in its profile, holder's bonus included. */
const bootstrapPriority: Readonly<Record<VrrpProfile, number>> = { fast: 254, openshift: 70 };

/**
 * The priority of a node's instance before its health is added. In the fast profile different for every node of a
 * group (equal ones make two holders at once), and given by the place of its name in the sorted list, not by who came
 * when: 220, 210, 200; 7 apart with five nodes. From the 30th node on they are one apart, and a holder that comes late
 * in the list may have to give the VIP back to one that comes early. `index` counts from 0 and is below `maxGroupSize`.
 */
export function vrrpPriority(index: number, groupSize: number): number {
  const spacing = groupSize < 2 ? 0 : Math.floor(prioritySpread / (groupSize - 1));
  return highest - index * Math.min(widestSpacing, Math.max(1, spacing));
}

export function bootstrapVrrpPriority(profile: VrrpProfile): number {
  return bootstrapPriority[profile];
}
