import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from './haproxy-monitor-status.ts';
import type { RedirectOutcome } from './redirect/redirect.ts';
import { createRedirectKeeper } from './redirect/redirect-keeper.ts';
import { initialUsableState, nextUsableState, probeUsable } from './redirect/usable.ts';

/** How often HAProxy is polled for a usable server. */
const LOOK_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 900;

/**
 * Redirects `VIP:API_PORT` to HAProxy while HAProxy has a usable server. Every check interval it compares the kernel's rules with the desired ones.
 * When `signal` aborts it removes them, since the kubelet ends HAProxy at the same time (docs/internals/decisions/0005). Rules of a killed monitor
 * stay until HAProxy has failed for long enough: a crash of the monitor moves no traffic.
 */
export function createRedirectLoop(settings: HaproxyMonitorSettings, observers: HaproxyMonitorObservers) {
  const { vips, instance, healthPort, checkInterval, redirectRemoveAfter } = settings;
  const keeper = createRedirectKeeper({ instance });
  let redirect: RedirectOutcome | undefined;
  let usable: boolean | null = null;
  let done: { readonly wanted: boolean; readonly at: number } | undefined;
  const note = (outcome: RedirectOutcome): void => {
    redirect = outcome;
    logRedirect(outcome, observers);
  };
  // At once if what is wanted changes, else every check interval.
  const keep = async (wanted: boolean): Promise<void> => {
    usable = wanted;
    observers.metrics.usable(wanted);
    if (done?.wanted === wanted && monotonicMs() - done.at < checkInterval) return;
    const outcome = wanted ? await keeper.ensure(settings) : await keeper.remove();
    note(outcome);
    // A failed attempt is repeated at the next poll.
    done = outcome.kind === 'failed' ? undefined : { wanted, at: monotonicMs() };
  };
  return {
    run: async (signal: AbortSignal): Promise<void> => {
      if (vips.length === 0) return;
      note(await keeper.look(settings));
      let state = initialUsableState;
      const startedMs = monotonicMs();
      while (!signal.aborted) {
        const sample = await probeUsable(healthPort, { timeoutMs: PROBE_TIMEOUT_MS, signal });
        state = nextUsableState(state, sample, monotonicMs(), redirectRemoveAfter);
        const undecided = !state.usable && monotonicMs() - startedMs < redirectRemoveAfter;
        if (!undecided && !signal.aborted) await keep(state.usable);
        await sleep(LOOK_EVERY_MS, signal);
      }
      note(await keeper.remove());
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
