import type { CheckOutcome } from './check.ts';
import type { ApplyOutcome, Rejection, UpdateStats } from './outcome.ts';
import type { ReloadResult, UpdateResult } from './proxy.ts';
import type { Rendered, Revision } from './set.ts';
import type { OnDisk } from './store.ts';

/** A configuration and its inputs. */
export interface Version<T> extends SetVersion {
  readonly of: T;
}

export interface SetVersion {
  readonly revision: Revision;
  readonly set: Rendered;
}

export interface Reason {
  readonly what: string;
  readonly reason: string;
}

/** The steps from the running set to the desired one. */
export interface Plan<Change extends object = object> {
  /** Runtime changes to send, whether or not a reload follows. */
  readonly changes: readonly Change[];
  /** The set that runs after `changes`: the desired set if nothing else is left to do. */
  readonly running: Rendered;
  /** Some of `changes` refer to files of the set. */
  readonly readsFiles?: boolean;
  /** Why the rest needs a reload. If it is empty and the desired set does not run after `changes`, more runtime changes follow. */
  readonly reload: readonly Reason[];
}

export interface Policy {
  /** With `when-idle`, hawser's own file is validated after it takes effect, and a reload counts as a check. */
  readonly check: 'before-write' | 'when-idle';
  /** Minimum time between the starts of two reloads. */
  readonly reloadEveryMs: number;
  /** Plans runtime changes. If undefined, every change is a reload. */
  readonly compare?: ((running: Rendered, desired: Rendered) => Plan) | undefined;
}

/** Which version runs, is on disk, and is known to be good. Times are monotonic milliseconds. */
export interface Deploy<T> {
  readonly desired: Version<T> | undefined;
  /** Undefined if the running version is unknown or was rendered by another process. Then only a reload helps. */
  readonly running: SetVersion | undefined;
  /** Undefined until the disk has been read. */
  readonly onDisk: OnDisk | undefined;
  /** Revision of the last good copy on disk. */
  readonly good: Revision | undefined;
  /** The newest revision that the program accepted, in a check or at a start. */
  readonly valid: Revision | undefined;
  readonly refused: ReadonlyMap<Revision, Backoff>;
  /** A refused version that passed its check and is tried again: the next refusal continues its backoff. */
  readonly retried: { readonly revision: Revision; readonly failures: number } | undefined;
  /** Backoff after failures that the configuration did not cause, such as a full disk or a timeout. */
  readonly backoff: Backoff;
  readonly reloadNotBeforeMs: number;
  readonly checkNotBeforeMs: number;
  readonly doing: Work<T> | undefined;
  /** The newest validation of a file on disk. */
  readonly check:
    | {
        readonly revision: Revision;
        readonly isOver: boolean;
        /** The `valid` revision when it began. */
        readonly validBefore?: Revision | undefined;
      }
    | undefined;
  /** Refusals that have not been reported yet. */
  readonly refusals: readonly Refusal<T>[];
  /** What was done since the last report. */
  readonly done: { readonly updated?: UpdateStats; readonly wrote?: true; readonly why?: Reason | undefined };
  /** Whether the outcome for `desired` has been reported. */
  readonly isReported: boolean;
  readonly mustReadDisk: boolean;
  /** The running version differed from the file for a while. A generation that started meanwhile may have read the other one. */
  readonly mustConfirm: boolean;
  /** Versions that may be running, newest first. */
  readonly candidates: readonly SetVersion[];
}

export interface Refusal<T> {
  readonly version: Version<T>;
  readonly rejection: Rejection;
}

export interface Backoff {
  readonly failures: number;
  readonly untilMs: number;
}

/** An action that runs alone. */
export type Work<T> =
  | {
      readonly kind: 'read-disk';
      readonly readsRunning: boolean;
      readonly isFirst: boolean;
      readonly desired: Version<T>;
    }
  | {
      readonly kind: 'update';
      readonly from: Revision;
      readonly to: SetVersion;
      readonly changes: readonly object[];
      readonly readsFiles: boolean;
    }
  | { readonly kind: 'write'; readonly version: Version<T>; readonly isChecked: boolean }
  /** `notBeforeMs` becomes the earliest time of the next reload again if this one has no effect. */
  | { readonly kind: 'reload'; readonly version: Version<T>; readonly notBeforeMs: number }
  /** Restores the last good file. `refusal` is reported afterwards. */
  | { readonly kind: 'restore'; readonly refusal: Refusal<T> | undefined };

export type DeployEvent<T> =
  | { readonly kind: 'desired'; readonly version: Version<T> }
  /** `running` and `good` are absent if they were not requested. */
  | {
      readonly kind: 'disk-read';
      readonly onDisk: OnDisk;
      readonly good?: Revision | undefined;
      readonly running?: Revision | undefined;
    }
  | { readonly kind: 'updated'; readonly result: UpdateResult }
  | { readonly kind: 'written'; readonly result: CheckOutcome }
  | { readonly kind: 'reloaded'; readonly result: ReloadResult }
  /** `revision` is undefined if there was no copy to restore, or the restore failed. */
  | { readonly kind: 'restored'; readonly revision: Revision | undefined; readonly lost?: string }
  | { readonly kind: 'checked'; readonly version: Version<T>; readonly outcome: CheckOutcome }
  /** The desired version was superseded, and the work for it has ended. */
  | { readonly kind: 'abandoned'; readonly message: string }
  /** The disk could not be read or written. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'tick' };

export interface Report<T> {
  readonly kind: 'report';
  readonly outcome: ApplyOutcome;
  readonly version: Version<T>;
  /** Only the runtime changes are in effect. The rest of the version waits for its reload. */
  readonly isPart?: true;
  /** The program accepted the whole version, in a check or at a start. */
  readonly isValid?: true;
  /** This outcome is from a validation of a version that is in effect or waits for its reload. */
  readonly isCheck?: true;
}

export type DeployAction<T> =
  | Work<T>
  | { readonly kind: 'check'; readonly version: Version<T> }
  | { readonly kind: 'keep-as-good'; readonly version: SetVersion }
  | Report<T>;

export const noBackoff: Backoff = { failures: 0, untilMs: 0 };

export function initialDeploy<T>(): Deploy<T> {
  return {
    desired: undefined,
    running: undefined,
    onDisk: undefined,
    good: undefined,
    valid: undefined,
    refused: new Map(),
    retried: undefined,
    backoff: noBackoff,
    reloadNotBeforeMs: 0,
    checkNotBeforeMs: 0,
    doing: undefined,
    check: undefined,
    refusals: [],
    done: {},
    isReported: false,
    mustReadDisk: true,
    mustConfirm: false,
    candidates: [],
  };
}

/** Whether the desired configuration is on disk and waits for its reload. */
export function isHeld<T>({ desired, doing, running, onDisk, backoff }: Deploy<T>): boolean {
  if (desired === undefined || doing !== undefined || backoff.failures > 0) return false;
  return onDisk?.revision === desired.revision && running?.revision !== desired.revision;
}
