import { createApplier } from '../../engine/apply/applier.ts';
import type { ApplyOutcome } from '../../engine/apply/apply-outcome.ts';
import { createChangeRecord } from '../../engine/reconcile/change-record.ts';
import type { ConfigurationParts } from '../../engine/reconcile/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../../engine/reconcile/log-outcome.ts';
import type { Observers } from '../../engine/reconcile/observers.ts';
import { reloadStartMs, reloadWaitMs } from '../../engine/reconcile/reload-limit.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import { differenceOf } from '../../haproxy/runtime/difference.ts';
import { decide } from '../decide/decide.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { findOffenders } from './find-offenders.ts';
import { createLeftOutRoutes, type ServableDecision } from './left-out-routes.ts';
import { createLiveRenderer } from './live-renderer.ts';
import type { RouterObserver } from './router-observer.ts';
import { type RouterStatus, routeCounts } from './router-status.ts';

/** 10,000 routes take HAProxy a second, and a loaded machine ten times as long. */
const CHECK_TIMEOUT_MS = 60_000;
const RELOAD_TIMEOUT_MS = 60_000;

export interface RouterConfiguration extends ConfigurationParts<ServableDecision> {
  /** What of it is known: undefined before the first decision. */
  readonly view: () => Pick<RouterStatus, 'routes' | 'configSha256' | 'lastChange'>;
  /** A configuration of this process was served once: what HAProxy has now is it, or a later one. */
  readonly isServed: () => boolean;
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
  const check = createConfigurationCheck({ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
  const onForeign = logForeignFile(observers);
  const applier = createApplier({
    configPath,
    check,
    socketPath,
    onForeign,
    difference: differenceOf,
    reloadTimeoutMs: RELOAD_TIMEOUT_MS,
  });
  const renderer = createLiveRenderer(settings, observers);
  const leftOut = createLeftOutRoutes();
  const changes = createChangeRecord();
  let decided: ServableDecision | undefined;
  let hasServed = false;
  let attempt = { identity: '', atMs: 0 };
  let [served, lastStartMs]: [string | undefined, number | undefined] = [undefined, undefined];

  /** Leaves out what HAProxy refuses, so that the next round serves all others. */
  const isolate = async (outcome: ApplyOutcome, { decision }: ServableDecision, text: string) => {
    if (outcome.kind !== 'rejected' || outcome.by !== 'check') return;
    const trial = { check, render: renderer.renderAgain };
    const offenders = await findOffenders({ decision, text, detail: outcome.detail }, trial, signal);
    leftOut.leaveOut(decision.model.backends, offenders);
    for (const [route, words] of offenders)
      observers.log({ event: 'route-left-out', level: 'warn', route, words });
    if (offenders.size > 0) wake.poke();
  };

  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    applier,
    next: async () => {
      const found = objects();
      const input = found && leftOut.servable(decide(found, settings));
      return { input, lookAgainInMs: undefined };
    },
    render: async (input) => {
      const { result, shown } = await renderer.render(input);
      if (shown !== undefined) {
        decided = shown;
        for (const { onDecision } of others) onDecision?.(shown.decision, shown.leftOut);
      }
      return result;
    },
    // What HAProxy can be told while it runs need not wait: only a reload is held back.
    holdMs: (_rendered, identity) => {
      const holdMs = identity === served ? 0 : reloadWaitMs(lastStartMs, reloadInterval, monotonicMs());
      if (holdMs === 0) attempt = { identity, atMs: monotonicMs() };
      if (holdMs === 0 && identity !== served) for (const { onReload } of others) onReload?.();
      return holdMs;
    },
    observe: async (outcome, input, text) => {
      const nowMs = monotonicMs();
      const { identity, atMs } = attempt;
      hasServed ||= outcome.kind === 'reloaded' || outcome.kind === 'unchanged';
      served = outcome.kind === 'reloaded' || outcome.kind === 'unchanged' ? identity : undefined;
      lastStartMs = reloadStartMs(outcome, nowMs) ?? lastStartMs;
      const cause = changes.note({ text: identity, parts: { 'routes-changed': identity } }, outcome);
      logOutcome(outcome, { cause, routes: input.decision.model.backends.length }, observers);
      for (const { onOutcome } of others) onOutcome?.(outcome, nowMs - atMs, cause);
      await isolate(outcome, input, text);
    },
    view: () => ({ routes: decided === undefined ? null : routeCounts(decided), ...changes.view() }),
    isServed: () => hasServed,
  };
}
