/** Reason of a reload: the running program refused the runtime update. */
export const REFUSED = 'refused';

/** Reason of a reload: the file failed validation after it was applied at runtime. The previous file is loaded again. */
export const WENT_BACK = 'went-back';

/** What became of one rendered configuration. All of these are normal; none stops a monitor. */
export type ApplyOutcome =
  /**
   * The file holds these bytes and they are served: no reload was requested. `isUnchecked`: it was applied at runtime, and `settle` has yet to
   * validate it.
   */
  | { readonly kind: 'unchanged'; readonly isUnchecked?: true }
  /** The file was replaced, and the supervisor serves it. */
  | {
      readonly kind: 'reloaded';
      readonly generation?: number;
      readonly tookMs?: number;
      /** Runtime update: no new generation, no connection closed. */
      readonly atRunTime?: true;
      /** It is in effect, and `settle` has yet to validate the file. */
      readonly isUnchecked?: true;
      /** Number of runtime commands. */
      readonly commands?: number;
      /** Why it was a reload: `REFUSED` or a keyword of the comparison, and a sentence. */
      readonly what?: string;
      readonly reason?: string;
    }
  /** HAProxy (`check`) or the supervisor (`reload`) refused it; the last good file is restored. */
  | {
      readonly kind: 'rejected';
      readonly by: 'check' | 'reload';
      readonly message: string;
      readonly detail: string;
      /** Set if it, or an unchecked file before it, was applied at runtime: the outcome of reloading the restored file. */
      readonly back?: Extract<ApplyOutcome, { kind: 'reloaded' | 'rejected' | 'unreachable' }>;
      /** The supervisor refused it and validation could not run: the file may be good or bad. */
      readonly isUnchecked?: true;
    }
  /**
   * The file is in place, and valid unless unchecked, but the supervisor's result is unknown: nothing listens on its socket yet, or the request
   * timed out. Ask again later; an unchecked file is validated first.
   */
  | { readonly kind: 'unreachable'; readonly message: string; readonly isUnchecked?: true }
  /**
   * Validity is unknown: the disk is full or read-only, or HAProxy could not be run. The live file is unchanged, except that a file already
   * applied at runtime stays and is validated before anything else. `inMemoryOnly`: applied at runtime, but the file could not be written; lost on
   * restart.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly inMemoryOnly?: true }
  /** Abandoned: its inputs changed meanwhile. The previous file or this one is in place, and the next configuration replaces it. */
  | { readonly kind: 'superseded'; readonly message: string };

/** Not validated yet. HAProxy may run it all the same. */
export function isUnchecked(outcome: ApplyOutcome): boolean {
  return 'isUnchecked' in outcome && outcome.isUnchecked === true;
}
