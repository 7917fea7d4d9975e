import { isDeepStrictEqual } from 'node:util';
import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { Log } from '../../engine/system/log.ts';
import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import type { Decision } from '../decide/decide.ts';
import { rejectRoutes, type ServableDecision } from '../decide/reject-routes.ts';
import type { Refusal } from '../decide/verdict.ts';
import type { RouteBackend } from '../model.ts';
import {
  findRefused,
  firstError,
  offendersIn,
  type RefusalMessages,
  remainingSuspects,
  type Trial,
} from './find-refused.ts';

/** While the next configuration waits. Routes without a verdict by then are left out and validated again in the background. */
const MAX_CHECKS = 8;
/** For a round in the background, and before anything is served. Enough to accept or refuse at least one route, whatever their number. */
const MAX_BACKGROUND_CHECKS = 32;
const TICK_MS = 500;
/** The pause after a round without a verdict, or in which HAProxy refused a base that it had accepted. */
const NO_VERDICT_MS = 15_000;
/** The fractional parts of its multiples are evenly distributed. */
const GOLDEN_RATIO = 1.618;
/** A changed route is retried soon, since its tenant is waiting. An unchanged route may have been refused for a temporary reason. */
const CHANGED: RetryLimits = { firstMs: 500, longestMs: 15_000 };
const UNCHANGED: RetryLimits = { firstMs: 60_000, longestMs: 600_000 };

type Routes = readonly RouteBackend[];

interface LeftOut {
  /** The route as it was refused, and as it is in the newest decision. */
  readonly refused: RouteBackend;
  readonly newest: RouteBackend;
  readonly template: string | undefined;
  readonly message: string | undefined;
  readonly atMs: number;
  /** Consecutive failures; 0 if another route may be the cause. */
  readonly failures: number;
}

/** Leaves out routes that HAProxy refuses, so that all others stay served. */
export function createIsolation(trial: Trial, log: Log, nowMs: () => number, signal: AbortSignal) {
  const leftOut = new Map<string, LeftOut>();
  let lastAccepted: { readonly backends: Routes; readonly template: string | undefined } | undefined;
  let rounds = 0;

  /** Whether HAProxy refuses a changed template even with the routes that it accepted last. */
  const isTemplateRefused = async (): Promise<boolean> => {
    if (lastAccepted === undefined || trial.template() === lastAccepted.template) return false;
    return (await trial.validate(lastAccepted.backends, signal)).outcome.kind === 'invalid';
  };

  /** The routes that HAProxy names, and further suspects of their namespaces if it stopped after 50 errors; otherwise the result of a search. */
  const findOffenders = async (
    { admission, model }: Decision,
    text: string,
    detail: string,
  ): Promise<RefusalMessages> => {
    const before = new Map(lastAccepted?.backends.map((backend) => [backend.key, backend]));
    // Oldest first, so that the older of two conflicting routes stays.
    const created = new Map(admission.admitted.map(({ key, route }) => [key, route.createdMs]));
    const all = model.backends.toSorted((a, b) => (created.get(a.key) ?? 0) - (created.get(b.key) ?? 0));
    const isAccepted = (each: RouteBackend): boolean => isSame(each, before.get(each.key), detail);
    const base = all.filter(isAccepted);
    const suspects = all.filter((each) => !isAccepted(each));
    const named = offendersIn(detail, text, all);
    if (named.size > 0) {
      const { neighbours } = remainingSuspects(suspects, named, detail);
      return new Map([...neighbours.map(({ key }) => [key, undefined] as const), ...named]);
    }
    const found = base.length > 0 && (await findRefused(base, suspects, trial, MAX_CHECKS, signal));
    return found || ((await findRefused([], all, trial, MAX_BACKGROUND_CHECKS, signal)) ?? new Map());
  };

  /** Logs each route once, and again when its error changes. A route that is already left out keeps its entry if it has no error of its own. */
  const add = (backends: Routes, messages: RefusalMessages): void => {
    for (const backend of backends) {
      const { key } = backend;
      const message = messages.get(key);
      const before = leftOut.get(key);
      if (!messages.has(key) || (message === undefined && before !== undefined)) continue;
      if (before === undefined || before.message !== message)
        log({ event: 'route-left-out', level: 'warn', route: key, words: message ?? 'not determined yet' });
      leftOut.set(key, {
        refused: backend,
        newest: backend,
        template: trial.template(),
        message,
        atMs: nowMs(),
        failures: message === undefined ? 0 : (before?.failures ?? 0) + 1,
      });
    }
  };

  /** Whether to retry a route: at once with a new template; otherwise soon if the route has changed, and rarely if not, once anything is served. */
  const isDue = ({ refused, newest, template, message, atMs, failures }: LeftOut): boolean => {
    if (template !== trial.template()) return true;
    const limits = isSame(refused, newest, message) ? UNCHANGED : CHANGED;
    return lastAccepted !== undefined && nowMs() >= atMs + retryPauseMs(failures, limits);
  };

  /** Returns whether there was a verdict. */
  const retryDue = async (onAccepted: () => void, stop: AbortSignal): Promise<boolean> => {
    const all = [...leftOut.values()].filter(isDue).map(({ newest }) => newest);
    if (all.length === 0) return true;
    // Each round starts at another route, so that a cluster of bad routes cannot starve the rest.
    const start = Math.floor(((rounds * GOLDEN_RATIO) % 1) * all.length);
    const due = [...all.slice(start), ...all.slice(0, start)];
    rounds += 1;
    const keys = new Set(due.map(({ key }) => key));
    const base = (lastAccepted?.backends ?? []).filter(({ key }) => !keys.has(key));
    const messages = await findRefused(base, due, trial, MAX_BACKGROUND_CHECKS, stop, (accepted) => {
      for (const { key } of accepted) leftOut.delete(key);
      onAccepted();
    });
    add(due, messages ?? new Map());
    return messages !== undefined;
  };

  return {
    /** The decision without the left-out routes, even if they have changed since. Deleted routes are dropped. */
    servable: (decision: Decision): ServableDecision => {
      const found = leftOut.size === 0 ? [] : decision.model.backends.filter(({ key }) => leftOut.has(key));
      const newest = new Map(found.map((backend) => [backend.key, backend]));
      for (const [key, before] of leftOut) {
        const backend = newest.get(key);
        if (backend === undefined) leftOut.delete(key);
        else leftOut.set(key, { ...before, newest: backend });
      }
      const refusals = [...leftOut].map(([key, { message }]) => [key, refusalOf(message)] as const);
      return rejectRoutes({ decision, leftOut: [] }, new Map(refusals));
    },
    /** Records that HAProxy accepted all routes of the decision. */
    accepted: ({ model }: Decision): void => {
      lastAccepted = { backends: model.backends, template: trial.template() };
    },
    /** Leaves out the routes that made HAProxy refuse the configuration. Returns false if none was found: the next one would be refused too. */
    leaveOut: async (
      outcome: ApplyOutcome,
      { decision, rendered }: { readonly decision: Decision; readonly rendered: Pick<Rendered, 'text'> },
    ): Promise<boolean> => {
      if (outcome.kind !== 'rejected' || outcome.by !== 'check') return false;
      const { detail } = outcome;
      if (await isTemplateRefused()) {
        const message = `Cannot use the template: HAProxy refuses it with routes that it accepted before: ${firstError(detail)}`;
        log({ event: 'template-unusable', level: 'error', message });
        return false;
      }
      const messages = await findOffenders(decision, rendered.text, detail);
      add(decision.model.backends, messages);
      return messages.size > 0;
    },
    /** Validates left-out routes again, together with the accepted ones, until `stop` aborts. */
    retryLeftOut: async (onAccepted: () => void, stop: AbortSignal): Promise<void> => {
      while (!stop.aborted) {
        const startMs = nowMs();
        const isDone = await retryDue(onAccepted, stop);
        // Pauses as long as the round took: a tenant who keeps changing bad routes takes at most half a CPU.
        await sleep(isDone ? Math.max(TICK_MS, nowMs() - startMs) : NO_VERDICT_MS, stop);
      }
    },
  };
}

/** Whether two versions of a route are equal. Servers change all the time and are compared only if HAProxy's error is about a server. */
function isSame(one: RouteBackend, other: RouteBackend | undefined, message: string | undefined): boolean {
  if (one === other || other === undefined) return one === other;
  const servers = message !== undefined && !/\bserver\b/i.test(message) ? { servers: [], remarks: [] } : {};
  return isDeepStrictEqual({ ...one, ...servers }, { ...other, ...servers });
}

function refusalOf(message: string | undefined): Refusal {
  const subject =
    message === undefined
      ? 'this route or another one in the same change'
      : 'a configuration with this route';
  return {
    reason: 'ConfigurationRefused',
    message: `HAProxy refuses ${subject}${message ? `: ${message}` : ''}`,
  };
}
