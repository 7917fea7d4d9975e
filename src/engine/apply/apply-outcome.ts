/** What a reload is for where the program that runs was told of a change and would not make it. */
export const REFUSED = 'refused';

/** What a reload is for where the program was told of a file that it would not start with: it has the one of before again. */
export const WENT_BACK = 'went-back';

/** What became of one rendered configuration. Each is a normal day; none of them stops a monitor. */
export type ApplyOutcome =
  /**
   * The file already holds these bytes and they are what is being served: no reload was requested. `isUnchecked`: the program was told of it
   * before, and `settle` is still to check it.
   */
  | { readonly kind: 'unchanged'; readonly isUnchecked?: true }
  /** The file was replaced, and the supervisor serves it. */
  | {
      readonly kind: 'reloaded';
      readonly generation?: number;
      readonly tookMs?: number;
      /** The program that runs was told what changed: no generation was started, and no connection ended for it. */
      readonly atRunTime?: true;
      /** The program has it, and the file is still to be checked: `settle` does that. */
      readonly isUnchecked?: true;
      /** How many commands that took. */
      readonly commands?: number;
      /** Why it could not be told: `REFUSED`, or a word from the comparison of the configurations, and a sentence. */
      readonly what?: string;
      readonly reason?: string;
    }
  /** HAProxy (`check`) or the supervisor (`reload`) would not have it; the last good file is back in place. */
  | {
      readonly kind: 'rejected';
      readonly by: 'check' | 'reload';
      readonly message: string;
      readonly detail: string;
      /** What runs had been told of it, or of a file before it that was not checked: what became of the reload of the file that is back. */
      readonly back?: Extract<ApplyOutcome, { kind: 'reloaded' | 'rejected' | 'unreachable' }>;
      /** The supervisor refused it, and its check could not be made: nothing is known about the file. */
      readonly isUnchecked?: true;
    }
  /**
   * The file is in place, and good unless it is unchecked, but what the supervisor made of it is not known: nothing listens on its socket yet, or
   * it takes longer than it was waited for. Ask again later: what is unchecked is checked then before anything else.
   */
  | { readonly kind: 'unreachable'; readonly message: string; readonly isUnchecked?: true }
  /**
   * Whether the text is good is unknown: the disk is full or read-only, or HAProxy could not be run. The live file
   * is what it was; one of which the program that runs was told already stays, and is checked before anything else is done.
   * `isTold`: the program that runs was told of this one, and has it until it is started anew.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly isTold?: true }
  /**
   * Given up, since what it was made from has changed again meanwhile. What lies in place is the file of before or this one: the
   * configuration that follows replaces it.
   */
  | { readonly kind: 'superseded'; readonly message: string };

/** Nobody has said yet whether HAProxy would start with it. HAProxy may have it all the same. */
export function isUnchecked(outcome: ApplyOutcome): boolean {
  return 'isUnchecked' in outcome && outcome.isUnchecked === true;
}
