import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from './haproxy-monitor-status.ts';
import type { RedirectOutcome } from './redirect/redirect.ts';
import { createRedirectKeeper, type RedirectKeeper } from './redirect/redirect-keeper.ts';
import { defaultUsableLimits, initialUsableState, nextUsableState, probeUsable } from './redirect/usable.ts';

/** How often HAProxy is polled for a usable server. */
const LOOK_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 900;

interface RedirectLoop {
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly view: () => Pick<HaproxyMonitorStatus, 'usable' | 'redirect' | 'redirectProblem'>;
}

/**
 * Redirects `VIP:API_PORT` to HAProxy while HAProxy has a usable server. Every check interval it compares the kernel's rules with the desired ones.
 * When `signal` aborts it removes them, since the kubelet ends HAProxy at the same time (docs/internals/decisions/0005). Rules of a killed monitor
 * stay until HAProxy has failed for long enough: a crash of the monitor moves no traffic.
 */
export function createRedirectLoop(
  settings: HaproxyMonitorSettings,
  observers: HaproxyMonitorObservers,
): RedirectLoop {
  let redirect: RedirectOutcome | undefined;
  let usable: boolean | null = null;
  const report = {
    redirect: (outcome: RedirectOutcome): void => {
      redirect = outcome;
      logRedirect(outcome, observers);
    },
    usable: (isUsable: boolean): void => {
      usable = isUsable;
      observers.metrics.usable(isUsable);
    },
  };
  return {
    run: async (signal) => {
      if (settings.vips.length > 0) await keepRedirect(settings, report, signal);
    },
    view: () => ({
      usable,
      redirect: settings.vips.length === 0 ? 'off' : (redirect?.kind ?? 'absent'),
      redirectProblem: redirect?.kind === 'failed' ? redirect.message : null,
    }),
  };
}

interface RedirectReport {
  readonly redirect: (outcome: RedirectOutcome) => void;
  readonly usable: (isUsable: boolean) => void;
}

async function keepRedirect(
  settings: HaproxyMonitorSettings,
  report: RedirectReport,
  signal: AbortSignal,
): Promise<void> {
  const keeper = createRedirectKeeper({ instance: settings.instance });
  report.redirect(await keeper.look(settings));
  const limits = { ...defaultUsableLimits, removeAfterMs: settings.redirectRemoveAfter };
  const look = createLook(settings, keeper, report);
  let usable = initialUsableState;
  const startedMs = monotonicMs();
  while (!signal.aborted) {
    const sample = await probeUsable(settings.healthPort, { timeoutMs: PROBE_TIMEOUT_MS, signal });
    usable = nextUsableState(usable, sample, monotonicMs(), limits);
    const undecided = !usable.usable && monotonicMs() - startedMs < limits.removeAfterMs;
    if (!undecided && !signal.aborted) await look(usable.usable);
    await sleep(LOOK_EVERY_MS, signal);
  }
  report.redirect(await keeper.remove());
}

/** Updates the kernel: at once when the desired state changes, else every check interval. */
function createLook(
  settings: HaproxyMonitorSettings,
  keeper: RedirectKeeper,
  report: RedirectReport,
): (wanted: boolean) => Promise<void> {
  let done: { readonly wanted: boolean; readonly at: number } | undefined;
  return async (wanted) => {
    report.usable(wanted);
    if (done?.wanted === wanted && monotonicMs() - done.at < settings.checkInterval) return;
    const outcome = wanted ? await keeper.ensure(settings) : await keeper.remove();
    report.redirect(outcome);
    // A failed attempt is repeated at the next poll.
    done = outcome.kind === 'failed' ? undefined : { wanted, at: monotonicMs() };
  };
}

function logRedirect(outcome: RedirectOutcome, { log, metrics, once }: HaproxyMonitorObservers): void {
  metrics.redirect(outcome.kind === 'present');
  if (outcome.kind === 'failed') {
    if (once.isNew('redirect', outcome.message))
      log({ event: 'redirect-failed', level: 'error', message: outcome.message });
    return;
  }
  once.clear('redirect');
  if (outcome.changed) log({ event: outcome.kind === 'present' ? 'redirect-added' : 'redirect-removed' });
}
