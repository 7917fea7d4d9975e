/** Reason of a reload: the running program refused the runtime update. */
export const REFUSED = 'refused';

/** Duration and number of commands of a runtime update. */
export interface UpdateStats {
  readonly generation?: number;
  readonly tookMs?: number;
  readonly commands?: number;
}

/** The new configuration is in effect, and its file in place. */
export interface Reloaded extends UpdateStats {
  readonly kind: 'reloaded';
  /** Runtime update: no new generation, no connection closed. */
  readonly atRunTime?: true;
  /** Why it was a reload: `REFUSED` or a keyword of the comparison, and a sentence. */
  readonly what?: string;
  readonly reason?: string;
}

/** The program (`check`) or the supervisor (`reload`) refused it. The last good file is restored, and the previous configuration keeps running. */
export interface Rejection {
  readonly kind: 'rejected';
  readonly by: 'check' | 'reload';
  readonly message: string;
  readonly detail: string;
  /** It was in effect already, by a runtime update, and stays in effect until another configuration follows. */
  readonly isRunning?: true;
}

/** The outcome of one rendered configuration. All of these are normal; none stops a monitor. */
export type ApplyOutcome =
  /** The file holds these bytes and they are served. */
  | { readonly kind: 'unchanged' }
  | Reloaded
  | Rejection
  /**
   * The file is in place, but the supervisor's result is unknown: nothing listens on its socket yet, or the request timed out. The request is
   * repeated.
   */
  | { readonly kind: 'unreachable'; readonly message: string }
  /**
   * The disk is full or read-only, or the program that validates could not be run. The live file is unchanged. `inMemoryOnly`: applied at runtime,
   * but the file could not be written; lost on restart.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly inMemoryOnly?: true }
  /** Abandoned: its inputs changed meanwhile. The previous file or this one is in place, and the next configuration replaces it. */
  | { readonly kind: 'superseded'; readonly message: string };

/** It is in effect. */
export function isServed({ kind }: ApplyOutcome): boolean {
  return kind === 'unchanged' || kind === 'reloaded';
}
