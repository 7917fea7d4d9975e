import type { Decision } from '../decide/decide.ts';
import type { Admission } from '../decide/verdict.ts';
import type { RouteBackend } from '../model.ts';
import type { ServableDecision } from './left-out-routes.ts';
import type { RouterObserver } from './router-observer.ts';

/** Reports decisions to the observers, and which admitted routes HAProxy is known to take. */
interface Teller {
  /** Called after the runtime update, and within 50 ms at the latest: the observers' work takes as long as the change itself. */
  readonly decided: (shown: ServableDecision) => void;
  /** The runtime update is done, or a reload has started. */
  readonly tellNow: () => void;
  /** HAProxy takes these, of this decision; left out, all of it. */
  readonly taken: (decision: Decision, backends?: readonly RouteBackend[]) => void;
}

const TELL_WITHIN_MS = 50;

export function createTeller(others: readonly Pick<RouterObserver, 'onDecided' | 'onDecision'>[]): Teller {
  const { unproven, prove } = createProvenRoutes();
  let newest: ServableDecision | undefined;
  let waiting: NodeJS.Timeout | undefined;
  const tell = ({ decision, leftOut }: ServableDecision): void => {
    clearTimeout(waiting);
    waiting = undefined;
    const keys = new Set(unproven(decision).map(({ key }) => key));
    for (const { onDecision } of others) onDecision?.(decision, leftOut, keys);
  };
  const tellNow = (): void => {
    if (waiting !== undefined && newest !== undefined) tell(newest);
  };
  const taken: Teller['taken'] = (decision, backends = decision.model.backends) => {
    const isNews = newest !== undefined && unproven(newest.decision).length > 0;
    prove(decision, backends);
    if (newest !== undefined && isNews) tell(newest);
  };
  return {
    decided: (shown) => {
      newest = shown;
      for (const { onDecided } of others) onDecided?.(shown.decision);
      waiting ??= setTimeout(tellNow, TELL_WITHIN_MS).unref();
    },
    ...{ tellNow, taken },
  };
}

function createProvenRoutes() {
  /** With their UIDs: a Route of the same name that was created later is another one. */
  const proven = new Map<string, string>();
  let seen: Admission | undefined;
  /** One that has gone may come back as another. */
  const forgetGone = (admission: Admission): void => {
    if (admission === seen) return;
    seen = admission;
    let there = 0;
    for (const { key, route } of admission.admitted) {
      const uid = proven.get(key);
      if (uid === route.uid) there += 1;
      else if (uid !== undefined) proven.delete(key);
    }
    if (there === proven.size) return;
    const keys = new Set(admission.admitted.map(({ key }) => key));
    for (const key of proven.keys()) if (!keys.has(key)) proven.delete(key);
  };
  return {
    unproven: ({ admission, model }: Decision): readonly RouteBackend[] => {
      forgetGone(admission);
      if (proven.size === admission.admitted.length) return [];
      return model.backends.filter(({ key }) => !proven.has(key));
    },
    prove: ({ admission }: Decision, backends: readonly RouteBackend[]): void => {
      if (admission !== seen) seen = undefined;
      const news = backends.filter(({ key }) => !proven.has(key));
      if (news.length === 0) return;
      const uids = new Map(admission.admitted.map(({ key, route }) => [key, route.uid]));
      for (const { key } of news) proven.set(key, uids.get(key) ?? '');
    },
  };
}
