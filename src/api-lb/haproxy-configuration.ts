import type { ConfigurationCheck } from '../engine/config/check.ts';
import { isServed } from '../engine/config/outcome.ts';
import { type ApiServer, endpointOf } from '../engine/kube/api-server.ts';
import type { ConfigurationParts } from '../engine/monitor/configuration-loop.ts';
import { deployerOf } from '../engine/monitor/product-deployer.ts';
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
import { printableLoadBalancer, serversInRotation } from './load-balancer.ts';

/** A check needs 40 ms of CPU time, which can take seconds on a loaded machine. */
const CHECK_TIMEOUT_MS = 20_000;

interface HaproxyConfiguration extends ConfigurationParts<readonly ApiServer[]> {
  /** HAProxy's own verdict on a file. */
  readonly check: ConfigurationCheck;
  readonly view: () => Pick<HaproxyMonitorStatus, 'servers' | 'configSha256' | 'lastChange'>;
}

/** haproxy.cfg for the configuration loop: rendered from the list of servers, validated by HAProxy, applied by its supervisor. */
export function haproxyConfiguration(
  settings: HaproxyMonitorSettings,
  wake: Wake,
  list: ServerList,
  observers: HaproxyMonitorObservers,
): HaproxyConfiguration {
  const { haproxy: haproxyPath, template } = settings;
  const check = createConfigurationCheck({ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
  let served: readonly ApiServer[] | undefined;
  const deployer = deployerOf<readonly ApiServer[]>(
    {
      config: settings.config,
      socket: settings.socket,
      check,
      now: monotonicMs,
      origin: ({ set, of }) => ({ text: set.text, parts: { 'servers-changed': JSON.stringify(of) } }),
      observe: ({ outcome, version: { of: servers } }) => {
        if (!isServed(outcome)) return { servers: servers.length };
        const changeMs = list.markServed(servers);
        if (outcome.kind === 'reloaded' && changeMs !== undefined)
          observers.metrics.changeServed(changeMs / 1_000);
        logServerChanges(served, servers, observers);
        served = servers;
        return { servers: servers.length, changeMs };
      },
    },
    observers,
  );
  return {
    check,
    wake,
    deployer,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    next: list.next,
    render: createRenderer(template, (servers) => printableLoadBalancer(settings, servers), observers),
    view: () => ({ servers: served?.map((server) => ({ ...server })) ?? null, ...deployer.view() }),
  };
}

/** Logs added, removed and drained servers. The first list of a monitor's run is not logged. */
function logServerChanges(
  before: readonly ApiServer[] | undefined,
  now: readonly ApiServer[],
  { log }: HaproxyMonitorObservers,
): void {
  if (before === undefined) return;
  const onlyIn = (list: readonly ApiServer[], other: readonly ApiServer[]) =>
    list.map(endpointOf).filter((endpoint) => !other.some((server) => endpointOf(server) === endpoint));
  const added = onlyIn(now, before);
  const removed = onlyIn(before, now);
  if (added.length + removed.length > 0) log({ event: 'servers-changed', added, removed });
  logDrained(before, now, log);
}

function logDrained(before: readonly ApiServer[], now: readonly ApiServer[], log: Log): void {
  const drainedOf = (list: readonly ApiServer[]) =>
    list.filter(({ drained }) => drained).map(({ name }) => name);
  const drained = drainedOf(now);
  const earlier = drainedOf(before);
  if (drained.join(' ') === earlier.join(' ')) return;
  // Draining every server would take the API offline, so the annotations are ignored in that case.
  const isIgnored = serversInRotation(now) === now && drained.length > 0;
  log({ event: 'servers-drained', level: isIgnored ? 'warn' : 'info', drained, isIgnored });
}
