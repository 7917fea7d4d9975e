import type { ApplyOutcome } from '../../engine/apply/apply-outcome.ts';
import type { RejectedRoute } from '../admission/verdict.ts';
import type { Decision } from '../decide/decide.ts';

/**
 * Who else hears of what the router does: the writer of statuses, the metrics. Each is called in turn, is soon done, and never
 * throws.
 */
export interface RouterObserver {
  /** Something was heard that may change the configuration. */
  readonly onEvent?: () => void;
  /** Every Route that a list or a watch tells of, as the API has it. */
  readonly onRoute?: (object: unknown) => void;
  /** Each decision, before HAProxy is told of it. May take no time. */
  readonly onDecided?: (decision: Decision) => void;
  /**
   * The newest decision once HAProxy was told, and soon in any case, however long its reload has to wait. `leftOut` are those of its rejected routes that
   * admission let in and HAProxy, or the template, cannot take; `unproven` are the keys of those admitted ones of which it is not known yet
   * whether HAProxy takes them.
   */
  readonly onDecision?: (
    decision: Decision,
    leftOut: readonly RejectedRoute[],
    unproven: ReadonlySet<string>,
  ) => void;
  /** HAProxy is about to be loaded anew, not only told of a change. */
  readonly onReload?: () => void;
  /**
   * What became of a configuration; `tookMs` is all of it: files, check, reload. `cause` made it differ from the one before. Of a part, the
   * rest of what was decided waits for the next reload.
   */
  readonly onOutcome?: (outcome: ApplyOutcome, tookMs: number, cause: string, isPart?: boolean) => void;
}
