import type { CheckOutcome } from './check.ts';
import type { ApplyOutcome, Rejection, UpdateStats } from './outcome.ts';
import type { ReloadResult, UpdateResult } from './proxy.ts';
import type { Rendered, Revision } from './set.ts';
import type { OnDisk } from './store.ts';

/** A configuration and its inputs. */
export interface Version<T> extends Known {
  readonly of: T;
}

export interface Known {
  readonly revision: Revision;
  readonly set: Rendered;
}

export interface Reason {
  readonly what: string;
  readonly reason: string;
}

/** How to get from the running set to the wanted one. */
export interface Plan<Change extends object = object> {
  /** Runtime changes, whether or not a reload follows. */
  readonly changes: readonly Change[];
  /** The set that runs after them: the wanted one if nothing is left to do. */
  readonly running: Rendered;
  /** The set's files contain some of them. */
  readonly readsFiles?: boolean;
  /** Why the rest needs a reload. If it is empty and the wanted set does not run after `changes`, further runtime changes follow. */
  readonly reload: readonly Reason[];
}

export interface Policy {
  /** `when-idle`: a file of ours is validated after it is in effect, and a reload is its own check. */
  readonly check: 'before-write' | 'when-idle';
  /** At most one reload starts in this time. */
  readonly reloadEveryMs: number;
  /** Undefined: every change is a reload. */
  readonly compare?: ((running: Rendered, wanted: Rendered) => Plan) | undefined;
}

/** Where each version is. Times are monotonic milliseconds. */
export interface Deploy<T> {
  readonly wanted: Version<T> | undefined;
  /** Undefined: unknown, or of another process, so only a reload helps. */
  readonly running: Known | undefined;
  /** Undefined: not read yet. */
  readonly onDisk: OnDisk | undefined;
  /** The last good copy on disk. */
  readonly good: Revision | undefined;
  /** The last one that the program accepted, by a check or a start. */
  readonly valid: Revision | undefined;
  readonly refused: ReadonlyMap<Revision, Backoff>;
  /** After failures that are not about the configuration: a full disk, no answer. */
  readonly backoff: Backoff;
  readonly reloadNotBeforeMs: number;
  readonly checkNotBeforeMs: number;
  readonly doing: Work<T> | undefined;
  /** The newest validation of a file on disk. */
  readonly check: { readonly revision: Revision; readonly isOver: boolean } | undefined;
  /** Refusals not reported yet. */
  readonly refusals: readonly Refusal<T>[];
  /** Actions since the last report. */
  readonly done: { readonly updated?: UpdateStats; readonly wrote?: true; readonly why?: Reason | undefined };
  /** The outcome for `wanted`. */
  readonly isReported: boolean;
  readonly mustReadDisk: boolean;
  /** A runtime change preceded its file: a generation that was loading meanwhile may have read the older file. */
  readonly mustConfirm: boolean;
  /** Versions that may run: the newest first. */
  readonly known: readonly Known[];
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
      readonly asksRunning: boolean;
      readonly isFirst: boolean;
      readonly wanted: Version<T>;
    }
  | {
      readonly kind: 'update';
      readonly from: Revision;
      readonly to: Known;
      readonly changes: readonly object[];
      readonly readsFiles: boolean;
    }
  | { readonly kind: 'write'; readonly version: Version<T>; readonly isChecked: boolean }
  /** `notBeforeMs`: for the next reload if this one turns out to be none. */
  | { readonly kind: 'reload'; readonly version: Version<T>; readonly notBeforeMs: number }
  /** Of the last good file. `refusal` is reported then. */
  | { readonly kind: 'restore'; readonly refusal: Refusal<T> | undefined };

export type DeployEvent<T> =
  | { readonly kind: 'wanted'; readonly version: Version<T> }
  /** `running` and `good` are missing if they were not requested. */
  | {
      readonly kind: 'disk-read';
      readonly onDisk: OnDisk;
      readonly good?: Revision | undefined;
      readonly running?: Revision | undefined;
    }
  | { readonly kind: 'updated'; readonly result: UpdateResult }
  | { readonly kind: 'written'; readonly result: CheckOutcome }
  | { readonly kind: 'reloaded'; readonly result: ReloadResult }
  /** `revision` is undefined if there was nothing to restore, or it failed. */
  | { readonly kind: 'restored'; readonly revision: Revision | undefined; readonly lost?: string }
  | { readonly kind: 'checked'; readonly version: Version<T>; readonly outcome: CheckOutcome }
  /** The wanted version was superseded, and the work for it has ended. */
  | { readonly kind: 'abandoned'; readonly message: string }
  /** The disk could not be read or written. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'tick' };

export interface Report<T> {
  readonly kind: 'report';
  readonly outcome: ApplyOutcome;
  readonly version: Version<T>;
  /** The rest of it waits for its reload. */
  readonly isPart?: true;
  /** The program accepted it as a whole, by a check or a start. */
  readonly isValid?: true;
  /** The validation of one that is in effect, or waits for its reload. */
  readonly isCheck?: true;
}

export type DeployAction<T> =
  | Work<T>
  | { readonly kind: 'check'; readonly version: Version<T> }
  | { readonly kind: 'keep-as-good'; readonly version: Version<T> }
  | Report<T>;

export const noBackoff: Backoff = { failures: 0, untilMs: 0 };

export function initialDeploy<T>(): Deploy<T> {
  return {
    wanted: undefined,
    running: undefined,
    onDisk: undefined,
    good: undefined,
    valid: undefined,
    refused: new Map(),
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
    known: [],
  };
}

/** The wanted configuration is on disk, and waits for its reload. */
export function isHeld<T>({ wanted, doing, running, onDisk, backoff }: Deploy<T>): boolean {
  if (wanted === undefined || doing !== undefined || backoff.failures > 0) return false;
  return onDisk?.revision === wanted.revision && running?.revision !== wanted.revision;
}
