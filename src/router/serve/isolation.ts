import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { Log } from '../../engine/system/log.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import type { Decision } from '../decide/decide.ts';
import type { RouteBackend } from '../model.ts';
import { areRefused, findRefused, type Trial, withoutNamed } from './find-refused.ts';
import { createLeftOutRoutes, isSame, type ServableDecision, type Words } from './left-out-routes.ts';
import { firstWords, offendersIn } from './offenders.ts';

/** Keeps routes that HAProxy refuses from keeping all others away. */
interface Isolation {
  readonly servable: (decision: Decision) => ServableDecision;
  /** HAProxy accepted all routes of it. */
  readonly accepted: (decision: Decision) => void;
  /** Leaves out the routes for which HAProxy refused a configuration. False if there are none: the next one would be refused too. */
  readonly leaveOut: (
    outcome: ApplyOutcome,
    refused: { readonly decision: Decision; readonly rendered: Pick<Rendered, 'text'> },
  ) => Promise<boolean>;
  /** Validates left-out routes again, together with those that HAProxy accepted, until `stop` aborts. */
  readonly tryAgain: (onAccepted: () => void, stop: AbortSignal) => Promise<void>;
}

/** While the next configuration waits: routes that these do not clear are left out, and validated again in the background. */
const MOST_CHECKS = 8;
/** At a time in the background, and before anything is served: enough to accept or refuse at least one of any number of routes. */
const MOST_CHECKS_BEHIND = 32;
const TICK_MS = 500;
/** Its multiples, less their whole parts, spread evenly. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

export function createIsolation(trial: Trial, log: Log, nowMs: () => number, signal: AbortSignal): Isolation {
  const routes = createLeftOutRoutes(nowMs);
  let good: { readonly backends: readonly RouteBackend[]; readonly template: string | undefined } | undefined;
  let refusedTemplate: string | undefined;
  let rounds = 0;

  /** An administrator's mistake shows in the sections of routes that were accepted a moment ago. */
  const isTemplateRefused = async (): Promise<boolean> =>
    good !== undefined &&
    trial.template() !== good.template &&
    (await areRefused(good.backends, trial, signal));

  /** The routes that are as HAProxy accepted them, and the others, the oldest first: of two conflicting routes, it stays. */
  const divide = ({ admission, model }: Decision, detail: string) => {
    const created = new Map(admission.admitted.map(({ key, route }) => [key, route.createdMs]));
    const all = model.backends.toSorted((a, b) => (created.get(a.key) ?? 0) - (created.get(b.key) ?? 0));
    const before = new Map(good?.backends.map((backend) => [backend.key, backend]));
    const isGood = (backend: RouteBackend): boolean => {
      const was = before.get(backend.key);
      return was !== undefined && isSame(was, backend, detail);
    };
    return { all, base: all.filter(isGood), suspects: all.filter((each) => !isGood(each)) };
  };

  const search = async ({ all, base, suspects }: ReturnType<typeof divide>): Promise<Words | undefined> => {
    const isNarrow = base.length > 0 && suspects.length > 0;
    const found = isNarrow ? await findRefused(base, suspects, trial, MOST_CHECKS, signal) : undefined;
    return found ?? (await findRefused([], all, trial, MOST_CHECKS_BEHIND, signal));
  };

  const leaveOut = (backends: readonly RouteBackend[], words: Words): void => {
    for (const [route, said] of routes.add(backends, words))
      log({ event: 'route-left-out', level: 'warn', route, words: said ?? 'not known yet' });
  };

  const tryDue = async (onAccepted: () => void, stop: AbortSignal): Promise<void> => {
    // With another template, the next configuration is their trial.
    if (trial.template() !== refusedTemplate) {
      refusedTemplate = trial.template();
      if (routes.clear()) onAccepted();
    }
    const due = rotated(routes.due(), rounds);
    if (due.length === 0 || good === undefined) return;
    rounds += 1;
    const keys = new Set(due.map(({ key }) => key));
    const base = good.backends.filter(({ key }) => !keys.has(key));
    const words = await findRefused(base, due, trial, MOST_CHECKS_BEHIND, stop, (accepted) => {
      routes.remove(accepted);
      onAccepted();
    });
    if (words === undefined) routes.postpone(due);
    else leaveOut(due, words);
  };

  return {
    servable: routes.servable,
    accepted: ({ model }) => {
      good = { backends: model.backends, template: trial.template() };
    },
    leaveOut: async (outcome, { decision, rendered }) => {
      if (outcome.kind !== 'rejected' || outcome.by !== 'check') return false;
      const { detail } = outcome;
      if (await isTemplateRefused()) {
        const message = `Cannot use the template: HAProxy refuses it for routes that it served: ${firstWords(detail)}`;
        log({ event: 'template-unusable', level: 'error', message });
        return false;
      }
      refusedTemplate = trial.template();
      const { backends } = decision.model;
      const named = offendersIn(detail, rendered.text, backends);
      const divided = divide(decision, detail);
      const words =
        named.size > 0
          ? withNeighbours(named, divided.suspects, detail)
          : ((await search(divided)) ?? new Map());
      leaveOut(backends, words);
      return words.size > 0;
    },
    tryAgain: async (onAccepted, stop) => {
      while (!stop.aborted) {
        const startMs = nowMs();
        await tryDue(onAccepted, stop);
        // A tenant who keeps changing bad routes costs at most half a CPU.
        await sleep(Math.max(TICK_MS, nowMs() - startMs), stop);
      }
    },
  };
}

/** Nothing waits while HAProxy names the next fifty: the other suspects of these namespaces are validated in the background. */
function withNeighbours(
  named: ReadonlyMap<string, string>,
  suspects: readonly RouteBackend[],
  detail: string,
): Words {
  const { neighbours } = withoutNamed(suspects, named, detail);
  return new Map([...neighbours.map(({ key }) => [key, undefined] as const), ...named]);
}

/** Starts elsewhere each time, so that a cluster of bad routes cannot starve the rest. */
function rotated<T>(items: readonly T[], round: number): readonly T[] {
  const start = Math.floor(((round * GOLDEN_RATIO) % 1) * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
