import { createApplier } from '../engine/apply/applier.ts';
import type { ConfigurationCheck } from '../engine/apply/configuration-check.ts';
import { type ApiServer, endpointOf } from '../engine/kube/api-server.ts';
import { createChangeRecord } from '../engine/monitor/change-record.ts';
import type { ConfigurationParts } from '../engine/monitor/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../engine/monitor/log-outcome.ts';
import { createRenderer } from '../engine/monitor/renderer.ts';
import type { ServerList } from '../engine/monitor/servers/server-list.ts';
import type { Log } from '../engine/system/log.ts';
import { runCommand } from '../engine/system/process/run-command.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../engine/system/time/wake.ts';
import { createConfigurationCheck } from '../haproxy/check-configuration.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from './haproxy-monitor-status.ts';
import { printableLoadBalancer } from './load-balancer.ts';

/** A loaded machine takes seconds for what takes 40 ms at rest. */
const CHECK_TIMEOUT_MS = 20_000;

interface HaproxyConfiguration extends ConfigurationParts<readonly ApiServer[]> {
  /** HAProxy's own verdict on a file. */
  readonly check: ConfigurationCheck;
  readonly view: () => Pick<HaproxyMonitorStatus, 'servers' | 'configSha256' | 'lastChange'>;
}

/** haproxy.cfg for the configuration loop: rendered from the list of servers, checked by HAProxy, applied by its supervisor. */
export function haproxyConfiguration(
  settings: HaproxyMonitorSettings,
  wake: Wake,
  list: ServerList,
  observers: HaproxyMonitorObservers,
): HaproxyConfiguration {
  const { haproxy: haproxyPath, template, config: configPath, socket: socketPath } = settings;
  const check = createConfigurationCheck({ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
  const changes = createChangeRecord();
  let served: readonly ApiServer[] | undefined;
  return {
    check,
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    next: list.next,
    render: createRenderer(template, (servers) => printableLoadBalancer(settings, servers), observers),
    applier: createApplier({ configPath, check, socketPath, onForeign: logForeignFile(observers) }),
    observe: (outcome, servers, { text }) => {
      const cause = changes.note({ text, parts: { 'servers-changed': JSON.stringify(servers) } }, outcome);
      const isServed = outcome.kind === 'unchanged' || outcome.kind === 'reloaded';
      const changeMs = isServed ? list.markServed(servers) : undefined;
      if (outcome.kind === 'reloaded' && changeMs !== undefined)
        observers.metrics.changeServed(changeMs / 1_000);
      logOutcome(outcome, { cause, servers: servers.length, changeMs }, observers);
      if (isServed) {
        logServerChanges(served, servers, observers);
        served = servers;
      }
    },
    view: () => ({ servers: served?.map((server) => ({ ...server })) ?? null, ...changes.view() }),
  };
}

/** Logs which servers came and went, and which are out of rotation, since this monitor's first list. */
function logServerChanges(
  before: readonly ApiServer[] | undefined,
  now: readonly ApiServer[],
  { log }: HaproxyMonitorObservers,
): void {
  if (before === undefined) return;
  const without = (list: readonly ApiServer[], gone: readonly ApiServer[]) =>
    list.map(endpointOf).filter((each) => !gone.some((other) => endpointOf(other) === each));
  const [added, removed] = [without(now, before), without(before, now)];
  if (added.length + removed.length > 0) log({ event: 'servers-changed', added, removed });
  logDrained(before, now, log);
}

function logDrained(before: readonly ApiServer[], now: readonly ApiServer[], log: Log): void {
  const drainedOf = (list: readonly ApiServer[]) =>
    list.filter(({ drained }) => drained).map(({ name }) => name);
  const [drained, earlier] = [drainedOf(now), drainedOf(before)];
  if (drained.join(' ') === earlier.join(' ')) return;
  // Draining every server would take the API away, so none is drained then.
  const isIgnored = drained.length === now.length;
  log({ event: 'servers-drained', level: isIgnored ? 'warn' : 'info', drained, isIgnored });
}
