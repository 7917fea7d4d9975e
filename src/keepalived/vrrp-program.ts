import type { ProcessId } from '../engine/system/process/processes.ts';
import type { SpawnOutcome } from '../engine/system/process/spawn-daemon.ts';
import type { Disagreement, InstanceState, WatchedInstance } from './vip-presence.ts';

/** What a configuration holds that its supervisor has to know. */
export interface AcceptedConfiguration {
  /** Counts the configurations that were accepted; keepalived shows the number once it has read it. */
  readonly number: number;
  readonly sha256: string;
  readonly instances: readonly WatchedInstance[];
  readonly trackFiles: readonly TrackedFile[];
  /** The FIFO that keepalived reports transitions to; without one the states stay unknown. */
  readonly notifyFifo: string | undefined;
}

export type AcceptOutcome =
  | { readonly kind: 'accepted'; readonly configuration: AcceptedConfiguration }
  /** The running configuration is untouched. `detail` holds keepalived's own words. */
  | { readonly kind: 'refused'; readonly message: string; readonly detail?: string };

/** One line of keepalived's notify FIFO about an instance. */
export interface Notification {
  readonly name: string;
  /** A state, or what else happened: `BACKUP_PRIORITY`, `MASTER_RX_LOWER_PRI`. */
  readonly what: string;
  readonly priority: number;
}

/** What its log says: that a timer was late, or why an instance is about to change its state. */
export type KeepalivedWords = { readonly kind: 'late'; readonly lateMs: number } | TransitionWords;

export type TransitionWords =
  /** The holder received an advert with a higher priority, or an equal priority from a higher address. */
  | {
      readonly kind: 'outranked';
      readonly instance: string;
      readonly by: string;
      readonly theirs: number;
      readonly ours: number;
    }
  /** Not by keepalived itself. */
  | { readonly kind: 'address-removed'; readonly address: string; readonly interface: string }
  | { readonly kind: 'interface-down'; readonly interface: string }
  | { readonly kind: 'track-file-fault'; readonly instance: string };

/** What a running keepalived says about itself. */
export type SelfReport = readonly Pick<InstanceState, 'name' | 'state' | 'priority'>[];

/** keepalived, as its supervisor's engine sees it. Every call has a bound of its own in time, and none rejects. */
export interface KeepalivedDriver {
  readonly hasConfiguration: () => boolean;
  /** The last configuration that was accepted, by this supervisor or an earlier one. */
  readonly lastAccepted: () => AcceptedConfiguration | undefined;
  /** Asks keepalived about the configuration; if it is good, a copy of it becomes what it runs on from now. */
  readonly accept: () => Promise<AcceptOutcome>;
  /** Starts it on the accepted configuration. The bonus of a holder does not survive: this one holds nothing. */
  readonly start: () => SpawnOutcome;
  readonly reload: (id: ProcessId) => void;
  /** Resolves once it shows that it runs on this configuration, or with undefined when `signal` aborts first. */
  readonly confirm: (
    id: ProcessId,
    configuration: AcceptedConfiguration,
    signal: AbortSignal,
  ) => Promise<SelfReport | undefined>;
  /** Passes on its new output, and returns the parts that matter here. */
  readonly listen: () => readonly KeepalivedWords[];
  /** A keepalived of an earlier supervisor that was killed before it could write down what it had started. */
  readonly findLeftOver: () => ProcessId | undefined;
  /** Removes or adds one address, where keepalived did not. Says what went wrong. */
  readonly repair: (disagreement: Disagreement) => Promise<string | undefined>;
  /** Looks at the track files, and speaks for a monitor that is silent: five times a second. */
  readonly watchTrackFiles: (
    configuration: AcceptedConfiguration,
    isHolder: (file: TrackedFile) => boolean,
  ) => readonly TrackReading[];
  /** Adverts that wait on this interface for an answer of a neighbour are never sent. Says what went wrong. */
  readonly discardUnsent: (device: string) => Promise<string | undefined>;
  /** Removes every VIP of the accepted and of the live configuration from this node. */
  readonly sweep: () => Promise<SweepOutcome>;
}

export interface TrackedFile {
  readonly path: string;
  /** Names of the instances whose priority it counts for, by themselves or by their group. */
  readonly instances: readonly string[];
}

export interface TrackReading extends TrackedFile {
  /** Its monitor has not written for a while. */
  readonly silent: boolean;
  /** Besides, what it asked does not answer: `value` is ours. */
  readonly demoted: boolean;
  readonly value: number;
}

export interface SweepOutcome {
  readonly removed: readonly string[];
  /** Why an address is still there; undefined where none is. */
  readonly trouble: string | undefined;
}
