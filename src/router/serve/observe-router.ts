import { type ApplyOutcome, REFUSED } from '../../engine/config/outcome.ts';
import type { Decision } from '../decide/decide.ts';
import type { AdmittedRoute, RejectionReason } from '../decide/verdict.ts';
import type { FirstExpiry, ReloadResult, RouterMetrics } from './router-metrics.ts';
import type { RouterObserver } from './router-observer.ts';

/** Feeds the metrics. `nowMs` is monotonic. */
export function observeRouter(metrics: RouterMetrics, nowMs: () => number): RouterObserver {
  /** Times of the first event without a decision, of the first event that is decided and not served, and of the first new one among the latter. */
  let [heardMs, decidedMs, newMs]: (number | undefined)[] = [];
  let decided: Decision | undefined;
  let reported: Decision | undefined;
  return {
    onEvent: () => {
      heardMs ??= nowMs();
    },
    onDecided: (decision) => {
      if (decision === decided) return;
      decided = decision;
      decidedMs ??= heardMs;
      newMs = heardMs ?? newMs;
      heardMs = undefined;
    },
    onDecision: (decision) => {
      const before = reported;
      reported = decision;
      if (decision.admission === before?.admission) return;
      metrics.routes(decision.admission.admitted.length, countReasons(decision));
      metrics.firstExpiry(firstExpiry(decision.admission.admitted));
    },
    onOutcome: (outcome, tookMs, cause, isPart) => {
      const isServed = outcome.kind === 'reloaded' || outcome.kind === 'unchanged';
      const sinceMs = isPart ? newMs : decidedMs;
      if (outcome.kind === 'reloaded' && sinceMs !== undefined)
        metrics.changeServed((nowMs() - sinceMs) / 1_000);
      if (isServed) newMs = undefined;
      // What of it waits counts from its own event until it is served.
      if (isServed && !isPart) decidedMs = undefined;
      metrics.failing(!isServed);
      countReload(metrics, outcome, tookMs, cause);
    },
  };
}

function countReload(metrics: RouterMetrics, outcome: ApplyOutcome, tookMs: number, cause: string): void {
  // A supervisor says how long its part took; what one that does not answer did is all in one.
  const reloadMs = outcome.kind === 'reloaded' ? (outcome.tookMs ?? 0) : 0;
  if (outcome.kind === 'reloaded') {
    metrics.written((tookMs - reloadMs) / 1_000);
    metrics.runtimeCommands(outcome.commands ?? 0, outcome.what === REFUSED ? 1 : 0);
    if (outcome.atRunTime === true) {
      metrics.reloadAvoided();
      return;
    }
  }
  const result = resultOf(outcome);
  if (result === undefined) return;
  metrics.reloaded(reasonOf(outcome, cause), result, result === 'done' ? reloadMs / 1_000 : undefined);
}

/** Why changed routes needed a reload, if known. */
function reasonOf(outcome: ApplyOutcome, cause: string): string {
  const what = outcome.kind === 'reloaded' ? outcome.what : undefined;
  return cause === 'routes-changed' ? (what ?? cause) : cause;
}

/** Undefined if no reload was necessary. */
function resultOf(outcome: ApplyOutcome): ReloadResult | undefined {
  switch (outcome.kind) {
    case 'unchanged':
      return undefined;
    case 'reloaded':
      return 'done';
    case 'rejected':
      return outcome.by === 'check' ? 'rejected' : 'failed';
    case 'unreachable':
    case 'failed':
    case 'superseded':
      return 'failed';
  }
}

function countReasons({ admission }: Decision): ReadonlyMap<RejectionReason, number> {
  const counts = new Map<RejectionReason, number>();
  for (const { reason } of admission.rejected) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

function firstExpiry(admitted: readonly AdmittedRoute[]): FirstExpiry | undefined {
  let first: FirstExpiry | undefined;
  for (const { route, tls } of admitted) {
    const validToMs = tls.certificate?.validToMs;
    if (validToMs === undefined || (first !== undefined && first.validToMs <= validToMs)) continue;
    first = { namespace: route.namespace, route: route.name, validToMs };
  }
  return first;
}
