import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from './haproxy-monitor-status.ts';
import type { RedirectOutcome } from './redirect/redirect.ts';
import { createRedirectKeeper } from './redirect/redirect-keeper.ts';
import { initialUsableState, nextUsableState, probeUsable } from './redirect/usable.ts';

/** How often HAProxy is polled for a usable server. */
const POLL_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 900;

/**
 * Redirects `VIP:API_PORT` to HAProxy while HAProxy has a usable server. Every check interval it compares the kernel's rules with the desired rules.
 * It removes the rules when `signal` aborts, because the kubelet stops HAProxy at the same time (docs/internals/decisions/0005). The rules of a monitor
 * that was killed stay until HAProxy has failed for `redirectRemoveAfter`, so a crash of the monitor moves no traffic.
 */
export function createRedirectLoop(settings: HaproxyMonitorSettings, observers: HaproxyMonitorObservers) {
  const { vips, instance, healthPort, checkInterval, redirectRemoveAfter } = settings;
  const keeper = createRedirectKeeper({ instance });
  let redirect: RedirectOutcome | undefined;
  let usable: boolean | null = null;
  let applied: { readonly desired: boolean; readonly at: number } | undefined;
  const record = (outcome: RedirectOutcome): void => {
    redirect = outcome;
    logRedirect(outcome, observers);
  };
  // Applies a change at once, and repeats the same state every check interval.
  const reconcile = async (desired: boolean): Promise<void> => {
    usable = desired;
    observers.metrics.usable(desired);
    if (applied?.desired === desired && monotonicMs() - applied.at < checkInterval) return;
    const outcome = desired ? await keeper.ensure(settings) : await keeper.remove();
    record(outcome);
    // A failed attempt is retried at the next poll.
    applied = outcome.kind === 'failed' ? undefined : { desired, at: monotonicMs() };
  };
  return {
    run: async (signal: AbortSignal): Promise<void> => {
      if (vips.length === 0) return;
      record(await keeper.observe(settings));
      let state = initialUsableState;
      const startedMs = monotonicMs();
      while (!signal.aborted) {
        const sample = await probeUsable(healthPort, { timeoutMs: PROBE_TIMEOUT_MS, signal });
        state = nextUsableState(state, sample, monotonicMs(), redirectRemoveAfter);
        const undecided = !state.usable && monotonicMs() - startedMs < redirectRemoveAfter;
        if (!undecided && !signal.aborted) await reconcile(state.usable);
        await sleep(POLL_EVERY_MS, signal);
      }
      record(await keeper.remove());
    },
    view: (): Pick<HaproxyMonitorStatus, 'usable' | 'redirect' | 'redirectProblem'> => ({
      usable,
      redirect: vips.length === 0 ? 'off' : (redirect?.kind ?? 'absent'),
      redirectProblem: redirect?.kind === 'failed' ? redirect.message : null,
    }),
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
