import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { Decision } from '../decide/decide.ts';

/** Callbacks for the status writer and the metrics. They are called one after the other, return quickly and never throw. */
export interface RouterObserver {
  /** Each decision, before its runtime update. It must be fast. */
  readonly onDecided?: (decision: Decision) => void;
  /**
   * The newest decision after its runtime update, and soon in any case, however long its reload has to wait. `unproven` are the keys of admitted
   * routes that HAProxy has not accepted yet.
   */
  readonly onDecision?: (decision: Decision, unproven: ReadonlySet<string>) => void;
  /** HAProxy is about to be reloaded, not only updated at runtime. */
  readonly onReload?: () => void;
  /**
   * The outcome of a configuration; `tookMs` is all of it: files, validation, reload. `cause` is its difference from the one before. After a
   * partial update the rest of the decision waits for the next reload.
   */
  readonly onOutcome?: (outcome: ApplyOutcome, tookMs: number, cause: string, isPart?: boolean) => void;
}
