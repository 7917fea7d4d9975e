import type { Decision } from '../decide/decide.ts';
import type { ServableDecision } from '../decide/reject-routes.ts';
import type { Admission } from '../decide/verdict.ts';
import type { RouterObserver } from './router-observer.ts';

/** Reports decisions to the observers, with the admitted routes that HAProxy has not accepted yet. */
interface DecisionReport {
  /** Reports the decision after its runtime update, or after 50 ms at the latest: the observers' work takes as long as the update itself. */
  readonly decided: (shown: ServableDecision) => void;
  /** Called when the runtime update is complete or a reload has started. */
  readonly reportNow: () => void;
  /** The newest decision. */
  readonly newest: () => ServableDecision | undefined;
  /** Called when HAProxy has accepted all routes of the decision. */
  readonly accepted: (decision: Decision) => void;
}

const REPORT_WITHIN_MS = 50;

export function createDecisionReport(
  others: readonly Pick<RouterObserver, 'onDecided' | 'onDecision'>[],
): DecisionReport {
  let newest: ServableDecision | undefined;
  /** The last accepted admission, and the UIDs of its routes by key. */
  let acceptedAdmission: Admission | undefined;
  let uids: ReadonlyMap<string, string> = new Map();
  let waiting: NodeJS.Timeout | undefined;
  /** The keys of admitted routes that HAProxy has not accepted yet. A recreated Route has the same key and another UID. */
  const unproven = (): ReadonlySet<string> => {
    const { admission } = newest?.decision ?? {};
    if (admission === undefined || admission === acceptedAdmission) return new Set();
    const routes = admission.admitted.filter(({ key, route }) => uids.get(key) !== route.uid);
    return new Set(routes.map(({ key }) => key));
  };
  const report = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    if (newest === undefined) return;
    for (const { onDecision } of others) onDecision?.(newest.decision, unproven());
  };
  const reportNow = (): void => {
    if (waiting !== undefined) report();
  };
  return {
    decided: (shown) => {
      newest = shown;
      for (const { onDecided } of others) onDecided?.(shown.decision);
      waiting ??= setTimeout(reportNow, REPORT_WITHIN_MS).unref();
    },
    reportNow,
    newest: () => newest,
    accepted: ({ admission }) => {
      const hadUnproven = unproven().size > 0;
      acceptedAdmission = admission;
      uids = new Map(admission.admitted.map(({ key, route }) => [key, route.uid]));
      if (hadUnproven) report();
    },
  };
}
