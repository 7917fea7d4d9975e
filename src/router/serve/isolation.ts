import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { Log } from '../../engine/system/log.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import type { Decision } from '../decide/decide.ts';
import type { RouteBackend } from '../model.ts';
import {
  areRefused,
  findOffenders,
  type Offenders,
  type Trial,
  withoutNeighbours,
} from './find-offenders.ts';
import { createLeftOutRoutes, isSame, type ServableDecision } from './left-out-routes.ts';
import { firstWords, offendersIn } from './offenders.ts';

/** Keeps routes that HAProxy refuses from keeping all others away. */
export interface Isolation {
  readonly servable: (decision: Decision) => ServableDecision;
  /** HAProxy serves it. */
  readonly taken: (decision: Decision) => void;
  /** Leaves out the routes for which HAProxy refused a configuration. False if there are none: the next one would be refused too. */
  readonly leaveOut: (
    outcome: ApplyOutcome,
    refused: { readonly decision: Decision; readonly rendered: Pick<Rendered, 'text'> },
  ) => Promise<boolean>;
  /** Tries left-out routes again, together with what is served, until `stop` aborts. */
  readonly tryAgain: (onTaken: () => void, stop: AbortSignal) => Promise<void>;
}

/** While something is served, nobody waits for more checks than these: what they do not clear is left out, and tried later. */
const MOST_CHECKS = 8;
/**
 * The limit at a time in the background, and while nothing is served: more than the binary digits of the number of routes, so that each search
 * clears some. Cleared routes are served before the search goes on.
 */
const MOST_CHECKS_BEHIND = 32;
const TICK_MS = 500;
/** Its multiples, less their whole parts, spread evenly. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

export function createIsolation(trial: Trial, log: Log, nowMs: () => number, signal: AbortSignal): Isolation {
  const routes = createLeftOutRoutes(nowMs);
  let served: readonly RouteBackend[] | undefined;
  let [servedTemplate, refusedTemplate]: (string | undefined)[] = [];
  let rounds = 0;

  /** An administrator's mistake shows in the sections of routes that were served a moment ago. */
  const isTemplateRefused = async (): Promise<boolean> =>
    served !== undefined && trial.template() !== servedTemplate && (await areRefused(served, trial, signal));

  /** Which routes are as they were when HAProxy took them, and the others. */
  const divide = (all: readonly RouteBackend[], detail: string) => {
    const before = new Map(served?.map((backend) => [backend.key, backend]));
    const [base, suspects]: [RouteBackend[], RouteBackend[]] = [[], []];
    for (const backend of all) {
      const known = before.get(backend.key);
      (known !== undefined && isSame(known, backend, detail) ? base : suspects).push(backend);
    }
    return { base, suspects };
  };

  const find = async (decision: Decision, detail: string): Promise<Offenders | undefined> => {
    const all = byAge(decision);
    const { base, suspects } = divide(all, detail);
    const isNarrow = base.length > 0 && suspects.length > 0;
    const found = isNarrow ? await findOffenders(base, suspects, trial, MOST_CHECKS, signal) : undefined;
    return found ?? (await findOffenders([], all, trial, MOST_CHECKS_BEHIND, signal));
  };

  /** Nobody waits while HAProxy names the next fifty: the other suspects of these namespaces are tried behind. */
  const withNeighbours = (
    named: ReadonlyMap<string, string>,
    detail: string,
    { model }: Decision,
  ): Offenders['words'] => {
    const { suspects } = divide(model.backends, detail);
    const others = new Set(withoutNeighbours(suspects, named, detail));
    const neighbours = suspects.filter((each) => !others.has(each));
    return new Map([...neighbours.map(({ key }) => [key, undefined] as const), ...named]);
  };

  const leaveOut = (backends: readonly RouteBackend[], words: Offenders['words']): void => {
    const news = routes.leaveOut(backends, words);
    for (const [route, said] of news)
      log({ event: 'route-left-out', level: 'warn', route, words: said ?? 'not known yet' });
  };

  /** Those that were refused with another template are due at once, and where nothing is served they are back without a trial. */
  const noteTemplate = (): boolean => {
    if (trial.template() === refusedTemplate) return false;
    refusedTemplate = trial.template();
    return routes.forgive(served === undefined);
  };

  const tryDue = async (): Promise<boolean> => {
    if (noteTemplate()) return true;
    const due = routes.due();
    if (due.length === 0 || served === undefined) return false;
    rounds += 1;
    const keys = new Set(due.map(({ key }) => key));
    const base = served.filter(({ key }) => !keys.has(key));
    const found = await findOffenders(base, turned(due, rounds), trial, MOST_CHECKS_BEHIND, signal);
    const isAbout =
      found !== undefined && (found.taken.length > 0 || due.some(({ key }) => found.words.has(key)));
    if (!isAbout) {
      routes.postpone(due);
      return false;
    }
    leaveOut(due, found.words);
    routes.release(found.taken);
    return found.taken.length > 0;
  };

  return {
    servable: routes.servable,
    taken: ({ model }) => {
      served = model.backends;
      servedTemplate = trial.template();
    },
    leaveOut: async (outcome, { decision, rendered }) => {
      if (outcome.kind !== 'rejected' || outcome.by !== 'check') return false;
      if (await isTemplateRefused()) {
        const message = `Cannot use the template: HAProxy refuses it for routes that it served: ${firstWords(outcome.detail)}`;
        log({ event: 'template-unusable', level: 'error', message });
        return false;
      }
      refusedTemplate = trial.template();
      const { backends } = decision.model;
      const named = offendersIn(outcome.detail, rendered.text, backends);
      const words =
        named.size > 0
          ? withNeighbours(named, outcome.detail, decision)
          : (await find(decision, outcome.detail))?.words;
      leaveOut(backends, words ?? new Map());
      return words !== undefined && words.size > 0;
    },
    tryAgain: async (onTaken, stop) => {
      while (!stop.aborted) {
        const startMs = nowMs();
        if (await tryDue()) onTaken();
        // A tenant who keeps changing bad routes costs at most half a CPU.
        await sleep(Math.max(TICK_MS, nowMs() - startMs), stop);
      }
    },
  };
}

/** Rotate the start so that a cluster of bad routes cannot starve the rest. */
function turned<T>(items: readonly T[], round: number): readonly T[] {
  const start = Math.floor(((round * GOLDEN_RATIO) % 1) * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** The oldest first: of two conflicting routes, it stays. */
function byAge({ admission, model }: Decision): readonly RouteBackend[] {
  const created = new Map(admission.admitted.map(({ key, route }) => [key, route.createdMs]));
  return model.backends.toSorted((a, b) => (created.get(a.key) ?? 0) - (created.get(b.key) ?? 0));
}
