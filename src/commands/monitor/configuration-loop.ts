import { type Applier, createApplier } from '../../apply/applier.ts';
import type { HaproxyMonitorSettings } from '../../config/haproxy-monitor-settings.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import type { ApiServer } from '../../model/api-server.ts';
import type { ApplyOutcome } from '../../model/apply-outcome.ts';
import { retryPauseMs } from '../../model/retry.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import { runCommand } from '../../system/run-command.ts';
import type { Wake } from '../../system/wake.ts';
import type { Observers } from './observers.ts';
import { createRenderer } from './renderer.ts';
import type { ServerList } from './server-list.ts';

/** A refused or unanswered configuration is tried again after this long, doubled up to the longest. */
const RETRY = { firstMs: 500, longestMs: 15_000 };

/** A machine under load takes seconds for what takes 40 ms at rest. */
const CHECK_TIMEOUT_MS = 20_000;

interface Attempt {
  readonly text: string;
  readonly failures: number;
  readonly retryAt: number;
}

/**
 * Wait for a change, take the list, render, apply, observe; until `signal` aborts. An attempt that failed is repeated
 * after a growing pause, or at once when the text changes. Applying is attempted on every wake: a file that somebody
 * edited or removed is put back within one check interval.
 */
export async function runConfigurationLoop(
  settings: HaproxyMonitorSettings,
  parts: { readonly wake: Wake; readonly list: ServerList; readonly observers: Observers },
  signal: AbortSignal,
): Promise<void> {
  const { wake, list, observers } = parts;
  const render = createRenderer(settings, observers);
  const applierOf = createAppliers(settings);
  let attempt: Attempt | undefined;
  let pauseMs = settings.checkInterval;
  while (!signal.aborted) {
    await wake.sleep(pauseMs, signal);
    observers.metrics.beat();
    const wanted = await list.next(signal);
    pauseMs = Math.min(settings.checkInterval, wanted.lookAgainInMs ?? Number.POSITIVE_INFINITY);
    const rendered = wanted.servers === undefined ? undefined : await render(wanted.servers);
    if (rendered === undefined || wanted.servers === undefined || signal.aborted) continue;
    if (isTooEarly(attempt, rendered.text)) continue;
    const outcome = await tryApply(applierOf(rendered.mode), rendered.text, attempt, signal);
    if (outcome === undefined) continue;
    attempt = nextAttempt(attempt, rendered.text, outcome);
    observe(outcome, wanted.servers, list, observers);
    if (attempt !== undefined) pauseMs = Math.min(pauseMs, attempt.retryAt - monotonicMs());
  }
}

/** Undefined where the monitor was stopped meanwhile. */
async function tryApply(
  applier: Applier,
  text: string,
  before: Attempt | undefined,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  if (before?.text === text) applier.retryRejected();
  try {
    return await applier.apply(text, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function isTooEarly(attempt: Attempt | undefined, text: string): boolean {
  return attempt !== undefined && attempt.text === text && monotonicMs() < attempt.retryAt;
}

function nextAttempt(before: Attempt | undefined, text: string, outcome: ApplyOutcome): Attempt | undefined {
  if (outcome.kind === 'unchanged' || outcome.kind === 'reloaded') return undefined;
  const failures = (before?.text === text ? before.failures : 0) + 1;
  return { text, failures, retryAt: monotonicMs() + retryPauseMs(failures, RETRY) };
}

/** One applier for each mode that the template has had. */
function createAppliers(settings: HaproxyMonitorSettings): (templateMode: number) => Applier {
  const appliers = new Map<number, Applier>();
  const check = createConfigurationCheck({
    haproxyPath: settings.haproxy,
    timeoutMs: CHECK_TIMEOUT_MS,
    run: runCommand,
  });
  return (templateMode) => {
    const known = appliers.get(templateMode);
    if (known !== undefined) return known;
    const applier = createApplier({
      configPath: settings.config,
      templateMode,
      check,
      socketPath: settings.socket,
    });
    appliers.set(templateMode, applier);
    return applier;
  };
}

function observe(
  outcome: ApplyOutcome,
  servers: readonly ApiServer[],
  list: ServerList,
  { log, metrics, once }: Observers,
): void {
  metrics.applied(outcome.kind);
  switch (outcome.kind) {
    case 'unchanged':
      list.markServed(servers);
      if (once.clear('apply')) log({ event: 'configuration-recovered' });
      return;
    case 'reloaded': {
      const changeMs = list.markServed(servers);
      if (changeMs !== undefined) metrics.changeServed(changeMs / 1_000);
      once.clear('apply');
      log({
        event: 'configuration-reloaded',
        ...outcome,
        kind: undefined,
        servers: servers.length,
        changeMs,
      });
      return;
    }
    case 'rejected':
      if (!once.isNew('apply', `${outcome.message}${outcome.detail}`)) return;
      log({
        event: 'configuration-rejected',
        level: 'error',
        by: outcome.by,
        message: outcome.message,
        detail: outcome.detail,
      });
      return;
    case 'unreachable':
      if (once.isNew('apply', outcome.kind))
        log({ event: 'supervisor-unreachable', level: 'warn', message: outcome.message });
      return;
    case 'failed':
      if (once.isNew('apply', outcome.message))
        log({ event: 'configuration-not-applied', level: 'error', message: outcome.message });
      return;
  }
}
