import type { Decision } from '../decide/decide.ts';
import type { ServableDecision } from '../decide/reject-routes.ts';
import type { Admission } from '../decide/verdict.ts';
import type { RouterObserver } from './router-observer.ts';

/** Reports decisions to the observers, and which admitted routes HAProxy has not accepted yet. */
interface DecisionReport {
  /** Reported after the runtime update, and within 50 ms at the latest: the observers' work takes as long as the change itself. */
  readonly decided: (shown: ServableDecision) => void;
  /** The runtime update is done, or a reload has started. */
  readonly reportNow: () => void;
  /** The last one that was decided. */
  readonly newest: () => ServableDecision | undefined;
  /** HAProxy accepted all routes of it. */
  readonly accepted: (decision: Decision) => void;
}

const REPORT_WITHIN_MS = 50;

export function createDecisionReport(
  others: readonly Pick<RouterObserver, 'onDecided' | 'onDecision'>[],
): DecisionReport {
  let newest: ServableDecision | undefined;
  /** What HAProxy accepted, and the uids of its routes by key. */
  let good: Admission | undefined;
  let uids: ReadonlyMap<string, string> = new Map();
  let waiting: NodeJS.Timeout | undefined;
  /** The keys of admitted routes that HAProxy has not accepted. A Route of the same name that was created later is another one. */
  const unproven = (): ReadonlySet<string> => {
    const { admission } = newest?.decision ?? {};
    if (admission === undefined || admission === good) return new Set();
    const news = admission.admitted.filter(({ key, route }) => uids.get(key) !== route.uid);
    return new Set(news.map(({ key }) => key));
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
      const isNews = unproven().size > 0;
      good = admission;
      uids = new Map(admission.admitted.map(({ key, route }) => [key, route.uid]));
      if (isNews) report();
    },
  };
}
