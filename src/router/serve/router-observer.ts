import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { Decision } from '../decide/decide.ts';

/** Callbacks for the status writer and the metrics, called in sequence. They must return quickly and never throw. */
export interface RouterObserver {
  /** Called for each decision before its runtime update. Must be especially fast. */
  readonly onDecided?: (decision: Decision) => void;
  /**
   * Called with the newest decision after its runtime update, and soon in any case, even if its reload has to wait. `unproven` contains the keys of
   * admitted routes that HAProxy has not accepted yet.
   */
  readonly onDecision?: (decision: Decision, unproven: ReadonlySet<string>) => void;
  /** Called before a reload of HAProxy, but not before a runtime update. */
  readonly onReload?: () => void;
  /**
   * Called with the outcome of a configuration. `tookMs` covers files, validation and reload. `cause` is what differs from the previous one.
   * `isPart`: a partial update, whose remainder waits for the next reload.
   */
  readonly onOutcome?: (outcome: ApplyOutcome, tookMs: number, cause: string, isPart?: boolean) => void;
}
