import { setTimeout as pause } from 'node:timers/promises';
import { joinVrrpGroup } from '../../engine/system/network/multicast-membership.ts';
import { askNeighbours, type Neighbour } from '../../engine/system/network/neighbours.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { SegmentCapture, SegmentSeen, SegmentTargets } from './segment-capture.ts';

/** An answer from the same segment arrives within a millisecond. A later one is not counted on. */
const ANSWER_WITHIN_MS = 250;

interface SegmentListener {
  /** What one round has seen, or what went wrong. `peers`: their MACs will be needed. */
  readonly round: (
    targets: SegmentTargets,
    peers: readonly Neighbour[],
    countsAdverts: boolean,
  ) => Promise<SegmentSeen | string>;
  /** Since when these router ids have been listened for. */
  readonly listeningSinceMs: () => number;
  /** Its table exists only while there is something to watch. */
  readonly close: () => Promise<void>;
}

export function createSegmentListener(capture: SegmentCapture): SegmentListener {
  let listening = '';
  let isOpen = false;
  let ids = { key: '[]', sinceMs: 0, members: new DisposableStack() };
  const listenFor = (routerIds: SegmentTargets['routerIds']): void => {
    const key = JSON.stringify(routerIds);
    if (key === ids.key) return;
    ids.members.dispose();
    const members = new DisposableStack();
    for (const each of routerIds) members.use(joinVrrpGroup(each));
    ids = { key, sinceMs: monotonicMs(), members };
  };
  const seeRound: SegmentListener['round'] = async (targets, peers, countsAdverts) => {
    const key = JSON.stringify(targets);
    // Each round collects its own answers, however late this process reads them.
    const notReady = key === listening ? await capture.flush('answers') : await capture.set(targets);
    if (notReady !== undefined) return notReady;
    listening = key;
    listenFor(targets.routerIds);
    const asked = targets.vips.map(({ vip, interface: device }) => ({ address: vip, interface: device }));
    const notAsked = asked.length > 0 ? await askNeighbours(asked, peers) : undefined;
    if (notAsked !== undefined) return notAsked;
    await pause(ANSWER_WITHIN_MS);
    const seen = await capture.read();
    if (typeof seen === 'string') return seen;
    // Only now: an advert that comes in between two rounds counts in the second.
    return (countsAdverts ? await capture.flush('adverts') : undefined) ?? seen;
  };
  return {
    round: async (...round) => {
      isOpen = true;
      const seen = await seeRound(...round);
      // Another program may have flushed every table.
      if (typeof seen === 'string') listening = '';
      return seen;
    },
    listeningSinceMs: () => ids.sinceMs,
    close: async () => {
      if (!isOpen) return;
      await capture.remove();
      listenFor([]);
      listening = '';
      isOpen = false;
    },
  };
}
