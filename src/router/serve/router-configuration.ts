import { createApplier } from '../../engine/apply/applier.ts';
import { type ApplyOutcome, isUnchecked } from '../../engine/apply/apply-outcome.ts';
import type { ConfigurationCheck } from '../../engine/apply/configuration-check.ts';
import { identityOf } from '../../engine/apply/file-set.ts';
import { createChangeRecord } from '../../engine/monitor/change-record.ts';
import type { ConfigurationParts } from '../../engine/monitor/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../../engine/monitor/log-outcome.ts';
import type { Observers } from '../../engine/monitor/observers.ts';
import type { Proposed } from '../../engine/monitor/proposal.ts';
import { createReloadPace } from '../../engine/monitor/reload-pace.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import { createDecider } from '../decide/decide.ts';
import type { RouterObjects } from '../follow/router-objects.ts';
import type { RouteBackend } from '../model.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import type { Trial } from './find-offenders.ts';
import { createIsolation } from './isolation.ts';
import type { ServableDecision } from './left-out-routes.ts';
import { describeDefaultCertificate } from './live-certificate.ts';
import { createLiveRenderer } from './live-renderer.ts';
import { ownPlaces } from './own-places.ts';
import { partly } from './partly.ts';
import { reloadByScript } from './reload-script.ts';
import type { RouterObserver } from './router-observer.ts';
import { certificateCounts, type RouterStatus, routeCounts } from './router-status.ts';
import { routerDifference } from './set-difference.ts';
import { smallerStep } from './smaller-step.ts';
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
  /** Tries refused routes again, together with what is served, and new routes while they are held back. Resolves once `stop` has aborted. */
  readonly tryLeftOut: (stop: AbortSignal) => Promise<void>;
}

/** haproxy.cfg and its files for the configuration loop, decided from `objects`: undefined before everything was listed. */
export function routerConfiguration(
  settings: LiveSettings,
  objects: () => RouterObjects | undefined,
  wake: Wake,
  observers: Observers,
  others: readonly RouterObserver[],
  signal: AbortSignal,
): RouterConfiguration {
  const { haproxy: haproxyPath, config: configPath, socket: socketPath } = settings;
  const { reloadInterval, reloadScript } = settings;
  const askHaproxy = createConfigurationCheck({
    ...{ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand, detailCharacters: DETAIL_CHARACTERS },
  });
  // A search of many checks is no hung loop, nor is a long check before a long reload, or one reload after another.
  const check: ConfigurationCheck = async (path, stop) => {
    observers.metrics.beat();
    return await askHaproxy(path, stop).finally(observers.metrics.beat);
  };
  const decide = createDecider(settings, ownPlaces(settings));
  const renderer = createLiveRenderer(settings, observers);
  const trial: Trial = { check, render: renderer.renderAgain, template: renderer.template };
  const isolation = createIsolation(trial, observers.log, monotonicMs, signal);
  const difference = routerDifference(settings);
  const proposalOf = async (
    { input }: Proposed<ServableDecision>,
    backends: readonly RouteBackend[] | undefined,
  ): Promise<Proposed<ServableDecision> | undefined> => {
    const rendered = backends && (await renderer.renderAgain(backends));
    return backends && rendered && { input: withBackends(input, backends), rendered };
  };
  const pace = createReloadPace<ServableDecision>({
    ...{ intervalMs: reloadInterval, nowMs: monotonicMs, difference },
    partly: (served, wanted) => proposalOf(served, partly(madeOf(served), madeOf(wanted))),
    smallerStep: (served, wanted) => proposalOf(served, smallerStep(backendsOf(served), backendsOf(wanted))),
  });
  const changes = createChangeRecord();
  let decided: ServableDecision | undefined;
  const teller = createTeller(others, isolation, wake.poke);

  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    applier: createApplier({
      ...{ configPath, check, socketPath, reloadTimeoutMs: RELOAD_TIMEOUT_MS },
      ...(reloadScript !== undefined && {
        supervisor: reloadByScript({
          ...{ path: reloadScript, config: configPath, timeoutMs: RELOAD_TIMEOUT_MS, run: runCommand },
        }),
      }),
      ...{ onForeign: logForeignFile(observers), difference, checksAfter: true },
      onReload: () => {
        observers.metrics.beat();
        teller.tellNow();
        for (const { onReload } of others) onReload?.();
      },
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
    pace: {
      note: pace.note,
      turn: async (wanted) => {
        const turn = await pace.turn(wanted);
        teller.held(turn.laterMs > 0);
        return turn;
      },
    },
    observe: async (outcome, { decision }, rendered, { startMs, isPart, isCheck }) => {
      teller.tellNow();
      const isServed = outcome.kind === 'reloaded' || outcome.kind === 'unchanged';
      if (isServed && !isUnchecked(outcome)) isolation.taken(decision);
      if (isAccepted(outcome) && !isUnchecked(outcome)) teller.taken(decision);
      // The runtime update was already reported.
      if (isCheck === true && outcome.kind === 'unchanged') return;
      const tookMs = monotonicMs() - startMs;
      const identity = identityOf(rendered);
      const cause = changes.note({ text: identity, parts: { 'routes-changed': identity } }, outcome);
      const facts = { cause, routes: decision.model.backends.length, ...(isPart && { isPart }) };
      logOutcome(shortened(outcome), facts, observers);
      for (const { onOutcome } of others) onOutcome?.(outcome, tookMs, cause, isPart);
      if (await isolation.leaveOut(outcome, { decision, rendered })) wake.poke();
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

function madeOf(proposed: Proposed<ServableDecision>) {
  return { backends: backendsOf(proposed), rendered: proposed.rendered };
}

function backendsOf({ input }: Proposed<ServableDecision>): readonly RouteBackend[] {
  return input.decision.model.backends;
}

function withBackends({ decision, leftOut }: ServableDecision, backends: readonly RouteBackend[]) {
  return { decision: { ...decision, model: { backends } }, leftOut };
}

/** By HAProxy's check, whatever its supervisor made of it. */
function isAccepted(outcome: ApplyOutcome): boolean {
  return outcome.kind !== 'failed' && !(outcome.kind === 'rejected' && outcome.by === 'check');
}

function shortened(outcome: ApplyOutcome): ApplyOutcome {
  return outcome.kind === 'rejected'
    ? { ...outcome, detail: outcome.detail.slice(-LOGGED_CHARACTERS) }
    : outcome;
}
