import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Scene } from './scene.ts';
import type { Subject } from './subject.ts';

/**
 * Everything that one trial measures. Undefined if it does not apply. Times in milliseconds. `longestWaitMs` is of a
 * client that waits for 20 s, all others of one that gives up after 0.2 s. For two nodes that have
 * the VIP at once there are three figures:
 *
 * - `healing` after a partition, during which they are inherent: until one of the two has given way.
 * - `staleVip` after SIGKILL for keepalived: the VIP that it leaves stays until another node has it, because
 *   it serves; from then on it is stale.
 * - `twoHolders` is all the rest, and should not be. A partition counts as over 150 ms after its healing.
 */
export const metrics = [
  'outageMs',
  'failureWindowMs',
  'lost',
  'longestWaitMs',
  'takeOverMs',
  'moves',
  'twoHoldersMs',
  'recoveryOutageMs',
  'recoveryMoves',
  'twoHoldersAfterMs',
  'healingMs',
  'staleVipMs',
  'supervisorMb',
  'monitorMb',
] as const;
export type Metric = (typeof metrics)[number];
export type Measured = Readonly<Partial<Record<Metric, number>>>;

/** Times are judged by their median: a busy machine delays the odd one. What must never happen is judged by `max`. */
export interface FailoverTarget {
  readonly atMost: number;
  readonly of: 'median' | 'max';
}

export interface Fault {
  readonly name: string;
  /** A line for people. */
  readonly about: string;
  /** The figure that stands for the fault. */
  readonly headline: Metric;
  /** Of hawser, from the project's own promises. */
  readonly targets: Readonly<Partial<Record<Metric, FailoverTarget>>>;
  /** How often the VIP has to move. What goes beyond counts as a move of the recovery: some recover by themselves. */
  readonly moves: 0 | 1;
  /** Undefined: all of them. */
  readonly subjects?: readonly Subject[];
  /** What the subject's own programs weigh is measured too. */
  readonly weigh?: true;
  /**
   * A patient client is there as well, and each trial has a scene of its own: a server that was down gets a small share of
   * the connections for a minute.
   */
  readonly tail?: true;
  arrange?(scene: Scene): Promise<void>;
  /** Resolves with the moment of the fault, in monotonic milliseconds. */
  inject(scene: Scene, holder: BedNode): Promise<number>;
  undo(scene: Scene, holder: BedNode): Promise<void>;
}
