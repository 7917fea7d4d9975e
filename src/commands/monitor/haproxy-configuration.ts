import { createApplier } from '../../apply/applier.ts';
import type { HaproxyMonitorSettings } from '../../config/haproxy-monitor-settings.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import type { ApiServer } from '../../model/api-server.ts';
import { endpointOf } from '../../model/choose-servers.ts';
import type { HaproxyMonitorStatus } from '../../protocol/haproxy-monitor-status.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import { runCommand } from '../../system/run-command.ts';
import type { Wake } from '../../system/wake.ts';
import { createChangeRecord } from './change-record.ts';
import type { ConfigurationParts } from './configuration-loop.ts';
import { logOutcome, tellForeign } from './log-outcome.ts';
import type { Observers } from './observers.ts';
import { createRenderer } from './renderer.ts';
import type { ServerList } from './server-list.ts';

/** A loaded machine takes seconds for what takes 40 ms at rest. */
const CHECK_TIMEOUT_MS = 20_000;

export interface HaproxyConfiguration extends ConfigurationParts<readonly ApiServer[]> {
  readonly view: () => Pick<HaproxyMonitorStatus, 'servers' | 'configSha256' | 'lastChange'>;
}

/**
 * haproxy.cfg for the configuration loop: rendered from the list of servers, checked by HAProxy, applied by its
 * supervisor.
 */
export function haproxyConfiguration(
  settings: HaproxyMonitorSettings,
  wake: Wake,
  list: ServerList,
  observers: Observers,
): HaproxyConfiguration {
  const { haproxy: haproxyPath, template, config: configPath, socket: socketPath } = settings;
  const check = createConfigurationCheck({ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
  const changes = createChangeRecord();
  let served: readonly ApiServer[] | undefined;
  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    next: list.next,
    render: createRenderer(
      template,
      (read, servers) => ({ ...read, kind: 'load-balancer', settings, servers }),
      observers,
    ),
    applier: createApplier({ configPath, check, socketPath, onForeign: tellForeign(observers) }),
    observe: (outcome, servers, text) => {
      const cause = changes.note({ text, parts: { 'servers-changed': JSON.stringify(servers) } }, outcome);
      const isServed = outcome.kind === 'unchanged' || outcome.kind === 'reloaded';
      const changeMs = isServed ? list.markServed(servers) : undefined;
      if (outcome.kind === 'reloaded' && changeMs !== undefined)
        observers.metrics.changeServed(changeMs / 1_000);
      logOutcome(outcome, { cause, servers: servers.length, changeMs }, observers);
      if (isServed) {
        tellServers(served, servers, observers);
        served = servers;
      }
    },
    view: () => ({ servers: served?.map((server) => ({ ...server })) ?? null, ...changes.view() }),
  };
}

/** Logs which servers came and went since this monitor's first list. */
function tellServers(
  before: readonly ApiServer[] | undefined,
  now: readonly ApiServer[],
  { log }: Observers,
): void {
  if (before === undefined) return;
  const without = (list: readonly ApiServer[], gone: readonly ApiServer[]) =>
    list.map(endpointOf).filter((each) => !gone.some((other) => endpointOf(other) === each));
  const [added, removed] = [without(now, before), without(before, now)];
  if (added.length + removed.length > 0) log({ event: 'servers-changed', added, removed });
}
