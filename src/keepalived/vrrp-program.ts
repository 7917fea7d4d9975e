import type { ProcessId } from '../engine/system/process/processes.ts';
import type { SpawnOutcome } from '../engine/system/process/spawn-daemon.ts';
import type { Disagreement, InstanceState, WatchedInstance } from './vip-presence.ts';

/** The parts of an accepted configuration that the supervisor needs. */
export interface AcceptedConfiguration {
  /** The number of the accepted configuration, counted from 1. keepalived's dump shows the number once it has read the file. */
  readonly number: number;
  readonly sha256: string;
  readonly instances: readonly WatchedInstance[];
  readonly trackFiles: readonly TrackedFile[];
  /** The FIFO to which keepalived reports transitions. Without one, transitions are not received. */
  readonly notifyFifo: string | undefined;
}

export type AcceptOutcome =
  | { readonly kind: 'accepted'; readonly configuration: AcceptedConfiguration }
  /** The running configuration is unchanged. `detail` is keepalived's output. */
  | { readonly kind: 'refused'; readonly message: string; readonly detail?: string }
  /** No verdict: the check could not be made, or the copy could not be written. The running configuration is unchanged. */
  | { readonly kind: 'unchecked'; readonly message: string };

/** One line of keepalived's notify FIFO about an instance. */
export interface Notification {
  readonly name: string;
  /** A state or another event: `BACKUP_PRIORITY`, `MASTER_RX_LOWER_PRI`. */
  readonly what: string;
  readonly priority: number;
}

/** A parsed line of keepalived's log: a timer was late, or the reason for an imminent change of state. */
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
  /** Another program removed the address. */
  | { readonly kind: 'address-removed'; readonly address: string; readonly interface: string }
  | { readonly kind: 'interface-down'; readonly interface: string }
  | { readonly kind: 'track-file-fault'; readonly instance: string };

/** The states of the instances in keepalived's dump. */
export type SelfReport = readonly Pick<InstanceState, 'name' | 'state' | 'priority'>[];

/** The interface through which the supervisor drives keepalived. Every call has a timeout, and no call rejects. */
export interface KeepalivedDriver {
  readonly hasConfiguration: () => boolean;
  /** The last configuration that this supervisor or an earlier one accepted. */
  readonly lastAccepted: () => AcceptedConfiguration | undefined;
  /** The last configuration with which keepalived has run. */
  readonly lastGood: () => AcceptedConfiguration | undefined;
  /**
   * Validates the configuration with keepalived. If it is valid, a copy becomes the accepted configuration. A text with the hash
   * `refusedHash` is refused.
   */
  readonly accept: (refusedHash?: string) => Promise<AcceptOutcome>;
  /** Keeps a copy of the accepted configuration, with which keepalived runs now. */
  readonly keepLastGood: () => void;
  /**
   * Starts keepalived with the accepted configuration or the last good one. Removes a holder's bonus, because the new process holds no
   * VIP.
   */
  readonly start: (configuration: AcceptedConfiguration) => SpawnOutcome;
  readonly reload: (id: ProcessId) => void;
  /** Resolves once keepalived's dump shows this configuration, or with undefined if `signal` aborts first. */
  readonly confirm: (
    id: ProcessId,
    configuration: AcceptedConfiguration,
    signal: AbortSignal,
  ) => Promise<SelfReport | undefined>;
  /** Forwards keepalived's new output, and returns its parsed lines. */
  readonly listen: () => readonly KeepalivedWords[];
  /** Finds a running keepalived of a supervisor that was killed before it could record the process. */
  readonly findLeftOver: () => ProcessId | undefined;
  /** Removes or adds one address in place of keepalived. Resolves with an error message if that fails. */
  readonly repair: (disagreement: Disagreement) => Promise<string | undefined>;
  /** Checks the track files, and writes the value for a silent monitor. Must be called five times a second. */
  readonly watchTrackFiles: (
    configuration: AcceptedConfiguration,
    isHolder: (file: TrackedFile) => boolean,
  ) => readonly TrackReading[];
  /** Discards adverts that wait on this interface for a neighbour's MAC. Resolves with an error message if that fails. */
  readonly discardUnsent: (device: string) => Promise<string | undefined>;
  /** Removes every VIP of the accepted, the last good and the live configuration from this node. */
  readonly sweep: () => Promise<SweepOutcome>;
}

export interface TrackedFile {
  readonly path: string;
  /** Names of the instances that use the file, directly or through their sync group. */
  readonly instances: readonly string[];
}

export interface TrackReading extends TrackedFile {
  /** The monitor has stopped writing. */
  readonly silent: boolean;
  /** The monitor is silent, and the service that it polled does not answer either: the supervisor lowered `value`. */
  readonly demoted: boolean;
  readonly value: number;
}

export interface SweepOutcome {
  readonly removed: readonly string[];
  /** Why an address could not be removed; undefined if all were. */
  readonly trouble: string | undefined;
}
