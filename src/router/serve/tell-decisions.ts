import { oncePer } from '../../engine/system/once-per.ts';
import type { Decision } from '../decide/decide.ts';
import type { ServableDecision } from '../decide/reject-routes.ts';
import type { Admission } from '../decide/verdict.ts';
import type { RouterObserver } from './router-observer.ts';

/** Reports decisions to the observers, and which admitted routes HAProxy has not accepted yet. */
interface Teller {
  /** Reported after the runtime update, and within 50 ms at the latest: the observers' work takes as long as the change itself. */
  readonly decided: (shown: ServableDecision) => void;
  /** The runtime update is done, or a reload has started. */
  readonly tellNow: () => void;
  /** The last one that was decided. */
  readonly newest: () => ServableDecision | undefined;
  /** HAProxy accepted all routes of it. */
  readonly accepted: (decision: Decision) => void;
}

const TELL_WITHIN_MS = 50;

export function createTeller(others: readonly Pick<RouterObserver, 'onDecided' | 'onDecision'>[]): Teller {
  let newest: ServableDecision | undefined;
  let good: Admission = { admitted: [], rejected: [] };
  let waiting: NodeJS.Timeout | undefined;
  const tell = ({ decision, leftOut }: ServableDecision, unproven: ReadonlySet<string>): void => {
    clearTimeout(waiting);
    waiting = undefined;
    for (const { onDecision } of others) onDecision?.(decision, leftOut, unproven);
  };
  const tellNow = (): void => {
    if (waiting !== undefined && newest !== undefined) tell(newest, unprovenIn(newest.decision, good));
  };
  return {
    decided: (shown) => {
      newest = shown;
      for (const { onDecided } of others) onDecided?.(shown.decision);
      waiting ??= setTimeout(tellNow, TELL_WITHIN_MS).unref();
    },
    tellNow,
    newest: () => newest,
    accepted: ({ admission }) => {
      const isNews = newest !== undefined && unprovenIn(newest.decision, good).size > 0;
      good = admission;
      if (newest !== undefined && isNews) tell(newest, unprovenIn(newest.decision, good));
    },
  };
}

/** The keys of admitted routes that are not in `good`. A Route of the same name that was created later is another one. */
function unprovenIn({ admission }: Decision, good: Admission): ReadonlySet<string> {
  if (admission === good) return new Set();
  const before = uidsOf(good);
  const news = admission.admitted.filter(({ key, route }) => before.get(key) !== route.uid);
  return new Set(news.map(({ key }) => key));
}

const uidsOf = oncePer(
  ({ admitted }: Admission) => new Map(admitted.map(({ key, route }) => [key, route.uid])),
);
