import { createApplier } from '../../engine/apply/applier.ts';
import type { ApplyOutcome } from '../../engine/apply/apply-outcome.ts';
import type { ConfigurationCheck } from '../../engine/apply/configuration-check.ts';
import type { Rendered } from '../../engine/apply/file-set.ts';
import { createChangeRecord } from '../../engine/reconcile/change-record.ts';
import type { ConfigurationParts } from '../../engine/reconcile/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../../engine/reconcile/log-outcome.ts';
import type { Observers } from '../../engine/reconcile/observers.ts';
import { createReloadPace } from '../../engine/reconcile/reload-pace.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import { createDecider } from '../decide/decide.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import type { Trial } from './find-offenders.ts';
import { createIsolation } from './isolation.ts';
import type { ServableDecision } from './left-out-routes.ts';
import { describeDefaultCertificate } from './live-certificate.ts';
import { createLiveRenderer } from './live-renderer.ts';
import type { RouterObserver } from './router-observer.ts';
import { certificateCounts, type RouterStatus, routeCounts } from './router-status.ts';
import { routerDifference } from './set-difference.ts';
import { createTeller } from './tell-decisions.ts';

/** 10,000 routes take HAProxy a second, and a loaded machine ten times as long. */
const CHECK_TIMEOUT_MS = 60_000;
/** A supervisor gives 10,000 routes 50 s to serve, and may have checked them before. */
const RELOAD_TIMEOUT_MS = 90_000;
/** Every route that HAProxy complains of is left out at once: it stops after 50 fatal errors, at 1 kB each. */
const DETAIL_CHARACTERS = 200_000;
/** Of those, what is logged. */
const LOGGED_CHARACTERS = 4_000;

export interface RouterConfiguration extends ConfigurationParts<ServableDecision> {
  /** What of it is known: undefined before the first decision. */
  readonly view: () => Pick<
    RouterStatus,
    'routes' | 'certificates' | 'defaultCertificate' | 'configSha256' | 'lastChange'
  >;
  /** A configuration of this process was served once: what HAProxy has now is it, or a later one. */
  readonly isServed: () => boolean;
  /**
   * Tries routes that HAProxy refused again, beside what is served, and new ones while they are held back. Resolves once `stop` has
   * aborted.
   */
  readonly tryLeftOut: (stop: AbortSignal) => Promise<void>;
}

/** The configuration that is being applied, and since when. */
interface Attempt {
  readonly identity: string;
  readonly atMs: number;
  readonly rendered: Rendered | undefined;
}

/** haproxy.cfg with its files for the configuration loop: decided from the objects, checked by HAProxy, applied by its supervisor. */
export function routerConfiguration(
  settings: LiveSettings,
  objects: () => RouterObjects | undefined,
  wake: Wake,
  observers: Observers,
  others: readonly RouterObserver[],
  signal: AbortSignal,
): RouterConfiguration {
  const { haproxy: haproxyPath, config: configPath, socket: socketPath, reloadInterval } = settings;
  const askHaproxy = createConfigurationCheck({
    ...{ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand, detailCharacters: DETAIL_CHARACTERS },
  });
  // A search of many checks is no hung loop, nor is a long check before a long reload.
  const check: ConfigurationCheck = async (path, stop) => {
    observers.metrics.beat();
    return await askHaproxy(path, stop).finally(observers.metrics.beat);
  };
  const decide = createDecider(settings);
  const renderer = createLiveRenderer(settings, observers);
  const trial: Trial = { check, render: renderer.renderAgain, template: renderer.template };
  const isolation = createIsolation(trial, observers.log, monotonicMs, signal);
  const pace = createReloadPace(reloadInterval, monotonicMs);
  const difference = routerDifference(settings);
  const changes = createChangeRecord();
  let decided: ServableDecision | undefined;
  let attempt: Attempt = { identity: '', atMs: 0, rendered: undefined };
  let served: Rendered | undefined;
  const teller = createTeller(others, isolation, wake.poke);

  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    applier: createApplier({
      ...{ configPath, check, socketPath, reloadTimeoutMs: RELOAD_TIMEOUT_MS },
      ...{ onForeign: logForeignFile(observers), difference, checksAfter: true },
    }),
    next: async () => {
      const found = objects();
      const input = found && isolation.servable(decide(found));
      return { input, lookAgainInMs: undefined };
    },
    render: async (input) => {
      const { result, shown } = await renderer.render(input);
      if (shown === undefined) return result;
      decided = shown;
      teller.decided(shown);
      return result;
    },
    holdMs: (rendered, identity) => {
      const holdMs = pace.holdMs(identity);
      const isHeld = holdMs > 0 && difference(served, rendered).kind === 'reload';
      teller.held(isHeld);
      if (isHeld) return holdMs;
      attempt = { identity, atMs: monotonicMs(), rendered };
      if (!pace.isServed(identity)) for (const { onReload } of others) onReload?.();
      return 0;
    },
    observe: async (outcome, { decision }, tried) => {
      const { identity, atMs, rendered } = attempt;
      const tookMs = monotonicMs() - atMs;
      pace.note(identity, outcome, atMs);
      served = pace.isServed(identity) ? rendered : undefined;
      const cause = changes.note({ text: identity, parts: { 'routes-changed': identity } }, outcome);
      if (outcome.kind === 'reloaded' || outcome.kind === 'unchanged') isolation.taken(decision);
      if (isTaken(outcome)) teller.taken(decision);
      logOutcome(shortened(outcome), { cause, routes: decision.model.backends.length }, observers);
      for (const { onOutcome } of others) onOutcome?.(outcome, tookMs, cause);
      if (await isolation.leaveOut(outcome, { decision, rendered: tried })) wake.poke();
    },
    tryLeftOut: async (stop) => {
      await Promise.all([isolation.tryAgain(wake.poke, stop), teller.tryHeld(stop)]);
    },
    view: () => ({
      routes: decided === undefined ? null : routeCounts(decided),
      certificates: decided === undefined ? null : certificateCounts(decided, Date.now()),
      defaultCertificate: describeDefaultCertificate(settings, renderer.defaultCertificate()),
      ...changes.view(),
    }),
    isServed: pace.hasServed,
  };
}

/** By HAProxy's check, whatever its supervisor made of it. */
function isTaken(outcome: ApplyOutcome): boolean {
  return outcome.kind !== 'failed' && !(outcome.kind === 'rejected' && outcome.by === 'check');
}

function shortened(outcome: ApplyOutcome): ApplyOutcome {
  return outcome.kind === 'rejected'
    ? { ...outcome, detail: outcome.detail.slice(-LOGGED_CHARACTERS) }
    : outcome;
}
