import type { ApplyOutcome } from '../../engine/apply/apply-outcome.ts';
import type { Log } from '../../engine/observe/logger.ts';
import type { Decision } from '../decide/decide.ts';
import { findOffenders, type Trial } from './find-offenders.ts';
import { createLeftOutRoutes, type ServableDecision } from './left-out-routes.ts';

/** Keeps routes that HAProxy refuses from keeping all others away. */
export interface Isolation {
  readonly servable: (decision: Decision) => ServableDecision;
  /** Leaves out the routes for which HAProxy refused a configuration. False where there are none: the next one would be refused too. */
  readonly leaveOut: (
    outcome: ApplyOutcome,
    refused: { readonly decision: Decision; readonly text: string },
  ) => Promise<boolean>;
}

export function createIsolation(trial: Trial, log: Log, signal: AbortSignal): Isolation {
  const routes = createLeftOutRoutes();
  return {
    servable: routes.servable,
    leaveOut: async (outcome, { decision, text }) => {
      if (outcome.kind !== 'rejected' || outcome.by !== 'check') return false;
      const offenders = await findOffenders({ decision, text, detail: outcome.detail }, trial, signal);
      routes.leaveOut(decision.model.backends, offenders);
      for (const [route, words] of offenders) log({ event: 'route-left-out', level: 'warn', route, words });
      return offenders.size > 0;
    },
  };
}
