/** Keyword for a reload that follows because the running program refused the runtime update. */
export const REFUSED = 'refused';

/** Duration and number of commands of a runtime update. */
export interface UpdateStats {
  readonly generation?: number;
  readonly tookMs?: number;
  readonly commands?: number;
}

/** The new configuration is in effect and on disk. */
export interface Reloaded extends UpdateStats {
  readonly kind: 'reloaded';
  /** The change was a runtime update: no new generation, no closed connection. */
  readonly atRunTime?: true;
  /** Why a reload was needed: `what` is `REFUSED` or a keyword of the comparison, `reason` a sentence. */
  readonly what?: string;
  readonly reason?: string;
}

/**
 * The program (`check`) or the supervisor (`reload`) refused the configuration. The last good file is restored, and the previous configuration keeps
 * running.
 */
export interface Rejection {
  readonly kind: 'rejected';
  readonly by: 'check' | 'reload';
  readonly message: string;
  readonly detail: string;
  /** The configuration had taken effect through a runtime update. It stays in effect until another one replaces it. */
  readonly isRunning?: true;
}

/** The outcome of one rendered configuration. None of these stops a monitor. */
export type ApplyOutcome =
  /** The file has these bytes, and they are served. */
  | { readonly kind: 'unchanged' }
  | Reloaded
  | Rejection
  /**
   * The file is in place, but the supervisor's result is unknown: nothing listens on the socket yet, or the request timed out. The request is
   * repeated.
   */
  | { readonly kind: 'unreachable'; readonly message: string }
  /**
   * The disk is full or read-only, or the check could not be run. The live file is unchanged, unless it was the supervisor that could not check it.
   * `inMemoryOnly`: the configuration was applied at runtime, but the file could not be written, so a restart loses it.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly inMemoryOnly?: true }
  /** Abandoned because the inputs changed. The previous file or this one is in place; the next configuration replaces it. */
  | { readonly kind: 'superseded'; readonly message: string };

/** Whether the configuration is in effect. */
export function isServed({ kind }: ApplyOutcome): boolean {
  return kind === 'unchanged' || kind === 'reloaded';
}

/** The statistics of two updates of one configuration. */
export function sumOf(one: UpdateStats | undefined, other: UpdateStats): UpdateStats {
  if (one === undefined) return other;
  const tookMs = (one.tookMs ?? 0) + (other.tookMs ?? 0);
  return { ...other, tookMs, commands: (one.commands ?? 0) + (other.commands ?? 0) };
}
