import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../engine/system/errors.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { hasFifoReader } from '../../keepalived/notify-fifo.ts';
import { ACCEPTED_FILE, LAST_GOOD_FILE, readAccepted } from '../../keepalived/parse-configuration.ts';
import { sweepConfigured } from '../../keepalived/sweep.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';

const POLL_INTERVAL_MS = 100;
const RETRY_INTERVAL_MS = 500;

type Settings = Pick<KeepalivedMonitorSettings, 'config' | 'runDir' | 'notifyFifo' | 'stateFile'>;

/**
 * Removes the VIPs from this node once keepalived and its supervisor have both ended without removing them. That happens if the
 * whole container is killed: the kubelet may take minutes to restart it, while a peer holds the VIP too. As with a killed
 * keepalived (docs/internals/decisions/0009), the address stays until a peer has had time to take over. A keepalived that outlives
 * its supervisor keeps its VIP. An address that an operator adds afterwards stays.
 */
export function sweepOrphanedVips(
  settings: Settings,
  { log, metrics, once }: KeepalivedMonitorObservers,
  signal: AbortSignal,
): void {
  const { config, notifyFifo, stateFile } = settings;
  const accepted = join(settings.runDir, ACCEPTED_FILE);
  const lastGood = join(settings.runDir, LAST_GOOD_FILE);
  let sweepAt: number | undefined;
  const failed = (trouble: string): void => {
    if (once.isNew('left-vip', trouble)) log({ event: 'stale-vip-not-removed', level: 'error', trouble });
    sweepAt = monotonicMs() + RETRY_INTERVAL_MS;
  };
  const sweep = async (): Promise<void> => {
    // The state file is stale and would name this node as the holder.
    rmSync(stateFile, { force: true });
    const { removed, trouble } = await sweepConfigured({ accepted, lastGood, config });
    if (removed.length > 0) {
      metrics.staleVipRemoved();
      log({
        event: 'stale-vip-removed',
        level: 'warn',
        removed,
        reason: 'keepalived and its supervisor have ended without removing it',
      });
    }
    if (trouble !== undefined) failed(trouble);
  };
  const poll = (): void => {
    if (hasFifoReader(notifyFifo) !== false) {
      sweepAt = undefined;
      once.clear('left-vip');
      return;
    }
    sweepAt ??= monotonicMs() + graceMs(accepted, notifyFifo);
    if (monotonicMs() < sweepAt) return;
    sweepAt = Number.POSITIVE_INFINITY;
    void sweep().catch((error: unknown) => failed(messageOf(error)));
  };
  const timer = setInterval(poll, POLL_INTERVAL_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** How long a peer needs to take over. Infinite if keepalived does not write to the notify FIFO. */
function graceMs(accepted: string, notifyFifo: string): number {
  const configuration = readAccepted(accepted);
  if (configuration?.notifyFifo !== notifyFifo) return Number.POSITIVE_INFINITY;
  return Math.max(0, ...configuration.instances.map(({ masterDownMs }) => masterDownMs));
}
