import type { ApiServer } from '../model/api-server.ts';
import type { SkippedServer } from '../model/choose-servers.ts';

export type Observation =
  | {
      readonly kind: 'servers';
      /** A poll confirms the whole list; a watch shows it as of its latest event. */
      readonly via: 'watch' | 'poll';
      /** Sorted, unique; may be empty: whether that may be believed is the loss guard's decision. */
      readonly servers: readonly ApiServer[];
      readonly skipped: readonly SkippedServer[];
      /** Where it was learned: an API server's URL, or `--servers`. */
      readonly from: string;
    }
  /** Nobody could be asked. Said once when an outage begins, and again when its HTTP status changes. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** Where the desired list of API servers comes from. */
export interface Source {
  /**
   * Yields what is observed until `signal` aborts; then it ends without an error and has closed its connections.
   * Trouble is an observation or a report; an exception is a mistake of ours.
   */
  observe(signal: AbortSignal): AsyncIterable<Observation>;
}

/** Something worth a line in the log: a first failure or a recovery, never a repeat. */
export interface SourceEvent {
  readonly event: string;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly [field: string]: unknown;
}

export type Report = (event: SourceEvent) => void;
