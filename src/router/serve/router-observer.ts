import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { Decision } from '../decide/decide.ts';
import type { RejectedRoute } from '../decide/verdict.ts';

/** Callbacks for the status writer and the metrics. They are called one after the other, return quickly and never throw. */
export interface RouterObserver {
  /** An event that may change the configuration. */
  readonly onEvent?: () => void;
  /** Every Route in a list or a watch event, as the API has it. */
  readonly onRoute?: (object: unknown) => void;
  /** The same for every Ingress of any class. */
  readonly onIngress?: (object: unknown) => void;
  /** Each decision, before its runtime update. It must be fast. */
  readonly onDecided?: (decision: Decision) => void;
  /**
   * The newest decision after its runtime update, and soon in any case, however long its reload has to wait. `leftOut` are the rejected routes
   * that passed admission and that HAProxy or the template cannot take; `unproven` are the keys of admitted routes that HAProxy has not accepted
   * yet.
   */
  readonly onDecision?: (
    decision: Decision,
    leftOut: readonly RejectedRoute[],
    unproven: ReadonlySet<string>,
  ) => void;
  /** HAProxy is about to be reloaded, not only updated at runtime. */
  readonly onReload?: () => void;
  /**
   * The outcome of a configuration; `tookMs` is all of it: files, validation, reload. `cause` is its difference from the one before. After a
   * partial update the rest of the decision waits for the next reload.
   */
  readonly onOutcome?: (outcome: ApplyOutcome, tookMs: number, cause: string, isPart?: boolean) => void;
}
