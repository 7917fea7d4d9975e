import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { Scene } from './scene.ts';
import type { Subject } from './subject.ts';

/**
 * Everything one trial measures, in milliseconds; undefined if it does not apply. `longestWaitMs` is for a client that
 * waits for 20 s, all other figures for one that gives up after 0.2 s. There are three figures for two nodes that hold
 * the VIP at once:
 *
 * - `healing`: after a partition, in which two holders are unavoidable, until one of them has yielded.
 * - `staleVip`: after keepalived was killed. The VIP it leaves behind serves until another node has taken it, and is
 *   stale from then on.
 * - `twoHolders`: everything else; should be 0. A partition counts as over 150 ms after it heals.
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

/** Times are judged by their median, because a busy machine delays the odd one. What must never happen is judged by `max`. */
export interface FailoverTarget {
  readonly atMost: number;
  readonly of: 'median' | 'max';
}

export interface Fault {
  readonly name: string;
  /** One-line description. */
  readonly about: string;
  /** The fault's main figure. */
  readonly headline: Metric;
  /** Targets for hawser, from the project's own promises. */
  readonly targets: Readonly<Partial<Record<Metric, FailoverTarget>>>;
  /** How often the VIP has to move. Further moves count towards the recovery, because some subjects recover on their own. */
  readonly moves: 0 | 1;
  /** Default: all. */
  readonly subjects?: readonly Subject[];
  /** Also measure the memory of the subject's own programs. */
  readonly weigh?: true;
  /**
   * Also measure with a patient client. Each trial then gets its own scene, because a server that was down receives only
   * a small share of the connections for a minute.
   */
  readonly tail?: true;
  arrange?(scene: Scene): Promise<void>;
  /** Resolves with the time of the fault, in monotonic milliseconds. */
  inject(scene: Scene, holder: BedNode): Promise<number>;
  undo(scene: Scene, holder: BedNode): Promise<void>;
}
