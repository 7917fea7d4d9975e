import type { ApiServer } from '../api-server.ts';
import type { SkippedServer } from './choose-servers.ts';

export type Observation =
  | {
      readonly kind: 'servers';
      /** A poll confirms the whole list; a watch shows it after its latest event. */
      readonly via: 'watch' | 'poll';
      /** Sorted and unique. May be empty: the loss guard decides whether to believe that. */
      readonly servers: readonly ApiServer[];
      readonly skipped: readonly SkippedServer[];
      /** An API server's URL, or `--servers`. */
      readonly from: string;
    }
  /** No API server answered. Sent when an outage begins, and when its HTTP status changes. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** Where the desired list of API servers comes from. */
export interface Source {
  /**
   * Yields observations until `signal` aborts, then closes its connections and ends without an error. Failures are
   * observations or reports; an exception is a bug.
   */
  observe(signal: AbortSignal): AsyncIterable<Observation>;
}
