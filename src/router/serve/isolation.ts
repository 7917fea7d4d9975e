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
  firstWords,
  offendersIn,
  type Trial,
  type Words,
  withoutNamed,
} from './find-refused.ts';

/** While the next configuration waits: routes that these do not clear are left out, and validated again in the background. */
const MOST_CHECKS = 8;
/** At a time in the background, and before anything is served: enough to accept or refuse at least one of any number of routes. */
const MOST_CHECKS_BEHIND = 32;
const TICK_MS = 500;
/** When HAProxy gave no verdict, or refuses what it accepted before. */
const NO_VERDICT_MS = 15_000;
/** Its multiples, less their whole parts, spread evenly. */
const GOLDEN_RATIO = 1.618;
/** A tenant who fixes a route is waiting for it; an unchanged route may have been refused for a reason that is gone. */
const CHANGED: RetryLimits = { firstMs: 500, longestMs: 15_000 };
const UNCHANGED: RetryLimits = { firstMs: 60_000, longestMs: 600_000 };

type Routes = readonly RouteBackend[];

interface LeftOut {
  /** As it was when it was refused, and as it is in the newest decision. */
  readonly refused: RouteBackend;
  readonly newest: RouteBackend;
  readonly template: string | undefined;
  readonly words: string | undefined;
  readonly atMs: number;
  /** In a row; 0 if another route may be the cause. */
  readonly failures: number;
}

/** Keeps routes that HAProxy refuses from keeping all others away. */
export function createIsolation(trial: Trial, log: Log, nowMs: () => number, signal: AbortSignal) {
  const leftOut = new Map<string, LeftOut>();
  let good: { readonly backends: Routes; readonly template: string | undefined } | undefined;
  let rounds = 0;

  /** An administrator's mistake shows in the sections of routes that were accepted a moment ago. */
  const isTemplateRefused = async (): Promise<boolean> => {
    if (good === undefined || trial.template() === good.template) return false;
    return (await trial.tryOut(good.backends, signal)).outcome.kind === 'invalid';
  };

  /** The routes that HAProxy names, with the suspects next to them if it names only the first fifty; otherwise what a search finds. */
  const wordsFor = async ({ admission, model }: Decision, text: string, detail: string): Promise<Words> => {
    const before = new Map(good?.backends.map((backend) => [backend.key, backend]));
    // The oldest first: of two conflicting routes, it stays.
    const created = new Map(admission.admitted.map(({ key, route }) => [key, route.createdMs]));
    const all = model.backends.toSorted((a, b) => (created.get(a.key) ?? 0) - (created.get(b.key) ?? 0));
    const isGood = (each: RouteBackend): boolean => isSame(each, before.get(each.key), detail);
    const base = all.filter(isGood);
    const suspects = all.filter((each) => !isGood(each));
    const named = offendersIn(detail, text, all);
    if (named.size > 0) {
      const { neighbours } = withoutNamed(suspects, named, detail);
      return new Map([...neighbours.map(({ key }) => [key, undefined] as const), ...named]);
    }
    const found = base.length > 0 && (await findRefused(base, suspects, trial, MOST_CHECKS, signal));
    return found || ((await findRefused([], all, trial, MOST_CHECKS_BEHIND, signal)) ?? new Map());
  };

  /** Each is logged once until its words change. Without words of its own, nothing changes for a route that is left out. */
  const add = (backends: Routes, words: Words): void => {
    for (const backend of backends) {
      const { key } = backend;
      const said = words.get(key);
      const before = leftOut.get(key);
      if (!words.has(key) || (said === undefined && before !== undefined)) continue;
      if (before === undefined || before.words !== said)
        log({ event: 'route-left-out', level: 'warn', route: key, words: said ?? 'not known yet' });
      leftOut.set(key, {
        refused: backend,
        newest: backend,
        template: trial.template(),
        words: said,
        atMs: nowMs(),
        failures: said === undefined ? 0 : (before?.failures ?? 0) + 1,
      });
    }
  };

  /** With another template at once. Once some are served, a route that has changed soon, and any other seldom. */
  const isDue = ({ refused, newest, template, words, atMs, failures }: LeftOut): boolean => {
    if (template !== trial.template()) return true;
    const limits = isSame(refused, newest, words) ? UNCHANGED : CHANGED;
    return good !== undefined && nowMs() >= atMs + retryPauseMs(failures, limits);
  };

  /** Returns whether there was a verdict. */
  const tryDue = async (onAccepted: () => void, stop: AbortSignal): Promise<boolean> => {
    const all = [...leftOut.values()].filter(isDue).map(({ newest }) => newest);
    if (all.length === 0) return true;
    // Starts elsewhere each time, so that a cluster of bad routes cannot starve the rest.
    const start = Math.floor(((rounds * GOLDEN_RATIO) % 1) * all.length);
    const due = [...all.slice(start), ...all.slice(0, start)];
    rounds += 1;
    const keys = new Set(due.map(({ key }) => key));
    const base = (good?.backends ?? []).filter(({ key }) => !keys.has(key));
    const words = await findRefused(base, due, trial, MOST_CHECKS_BEHIND, stop, (accepted) => {
      for (const { key } of accepted) leftOut.delete(key);
      onAccepted();
    });
    add(due, words ?? new Map());
    return words !== undefined;
  };

  return {
    /** The decision without the routes that are left out, even if they have changed since. A deleted route is forgotten. */
    servable: (decision: Decision): ServableDecision => {
      const found = leftOut.size === 0 ? [] : decision.model.backends.filter(({ key }) => leftOut.has(key));
      const newest = new Map(found.map((backend) => [backend.key, backend]));
      for (const [key, before] of leftOut) {
        const backend = newest.get(key);
        if (backend === undefined) leftOut.delete(key);
        else leftOut.set(key, { ...before, newest: backend });
      }
      const refusals = [...leftOut].map(([key, { words }]) => [key, refusalOf(words)] as const);
      return rejectRoutes({ decision, leftOut: [] }, new Map(refusals));
    },
    /** HAProxy accepted all routes of it. */
    accepted: ({ model }: Decision): void => {
      good = { backends: model.backends, template: trial.template() };
    },
    /** Leaves out the routes for which HAProxy refused a configuration. False if there are none: the next one would be refused too. */
    leaveOut: async (
      outcome: ApplyOutcome,
      { decision, rendered }: { readonly decision: Decision; readonly rendered: Pick<Rendered, 'text'> },
    ): Promise<boolean> => {
      if (outcome.kind !== 'rejected' || outcome.by !== 'check') return false;
      const { detail } = outcome;
      if (await isTemplateRefused()) {
        const message = `Cannot use the template: HAProxy refuses it for routes that it served: ${firstWords(detail)}`;
        log({ event: 'template-unusable', level: 'error', message });
        return false;
      }
      const words = await wordsFor(decision, rendered.text, detail);
      add(decision.model.backends, words);
      return words.size > 0;
    },
    /** Validates left-out routes again, together with those that HAProxy accepted, until `stop` aborts. */
    tryAgain: async (onAccepted: () => void, stop: AbortSignal): Promise<void> => {
      while (!stop.aborted) {
        const startMs = nowMs();
        const isDone = await tryDue(onAccepted, stop);
        // A tenant who keeps changing bad routes costs at most half a CPU.
        await sleep(isDone ? Math.max(TICK_MS, nowMs() - startMs) : NO_VERDICT_MS, stop);
      }
    },
  };
}

/** Pods change all the time: they matter only if HAProxy's error is about a server. */
function isSame(one: RouteBackend, other: RouteBackend | undefined, words: string | undefined): boolean {
  if (one === other || other === undefined) return one === other;
  const servers = words !== undefined && !/\bserver\b/i.test(words) ? { servers: [], remarks: [] } : {};
  return isDeepStrictEqual({ ...one, ...servers }, { ...other, ...servers });
}

function refusalOf(words: string | undefined): Refusal {
  const subject =
    words === undefined ? 'this route, or one that came with it' : 'a configuration with this route';
  return {
    reason: 'ConfigurationRefused',
    message: `HAProxy refuses ${subject}${words ? `: ${words}` : ''}`,
  };
}
