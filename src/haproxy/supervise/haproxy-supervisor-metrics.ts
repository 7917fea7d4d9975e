import { createMetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { type SupervisorMetrics, supervisorCounts } from '../../engine/observe/shared-metrics.ts';
import type { LogEvent } from '../../engine/system/log.ts';
import type { ConnectionCounts } from './supervisor.ts';

interface HaproxySupervisorNow extends ConnectionCounts {
  readonly serving: number;
  readonly starting: number;
  readonly draining: number;
  readonly drainingMemoryBytes: number;
}

const changeResults: Readonly<Record<string, string>> = {
  'configuration-changed': 'made',
  'drift-repaired': 'repaired',
  'change-refused': 'refused',
};

export function createHaproxySupervisorMetrics(): SupervisorMetrics<HaproxySupervisorNow> {
  const registry = createMetricsRegistry();
  const { counter, gauge, histogram, text } = registry;
  const generation = gauge('hawser_generations', 'Running generations of HAProxy.');
  const drainingMemory = simpleGauge(
    registry,
    'hawser_draining_memory_bytes',
    'Resident memory of the draining generations.',
  );
  const counts = supervisorCounts(registry);
  const reloadSeconds = histogram(
    'hawser_reload_duration_seconds',
    'Time from a request to the proof that the new generation serves.',
    [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  );
  const restart = counter('hawser_haproxy_restarts_total', 'Starts of HAProxy after a death.');
  const hang = counter('hawser_haproxy_hangs_total', 'Times that HAProxy hung and was replaced.');
  const setAside = counter(
    'hawser_servers_set_aside_total',
    'Servers that got no new connections until their next successful check, because they answered no probe.',
  );
  const changed = counter(
    'hawser_runtime_changes_total',
    'Runtime changes: made, repaired (a manual change reverted), refused (reloaded instead).',
    ['made', 'repaired', 'refused'].map((result) => ({ result })),
  );
  const ended = counter(
    'hawser_draining_sessions_ended_total',
    'Sessions of draining generations that were ended, by reason: time, number or memory of generations, lost server.',
    ['time', 'number', 'memory', 'server'].map((reason) => ({ reason })),
  );
  const redispatch = counter(
    'hawser_connections_redispatched_total',
    'Client connections sent to another server after a failed attempt. Not updated while haproxy.cfg exceeds 2 MiB.',
  );
  const longestConnect = gauge(
    'hawser_longest_connect_seconds',
    'Longest time that a connection took to reach a server since this HAProxy process started, including failed attempts. Not updated while haproxy.cfg exceeds 2 MiB.',
  );
  let redispatched = 0;
  const served = (event: LogEvent): void => {
    const { cause, tookMs } = event;
    if (cause === 'died' || cause === 'hung' || cause === 'retry') restart();
    if (cause === 'request') reloadSeconds(Number(tookMs) / 1_000);
    counts.accepted(event);
  };
  return {
    observe: (event) => {
      if (event.event === 'generation-serving') served(event);
      if (event.event === 'generation-refused') counts.refused(event);
      if (event.event === 'generation-hung') hang();
      if (event.event === 'server-set-aside') setAside();
      if (event.event === 'draining-sessions-ended')
        ended({ reason: String(event['reason']) }, Number(event['ended']));
      const change = changeResults[event.event];
      if (change !== undefined) changed({ result: change });
      if (event.event === 'internal-error') counts.internalError();
    },
    lag: counts.lag,
    text: (now) => {
      for (const state of ['serving', 'starting', 'draining'] as const) generation.set(now[state], { state });
      drainingMemory(now.drainingMemoryBytes);
      redispatch({}, now.redispatched - redispatched);
      redispatched = now.redispatched;
      longestConnect.set(now.longestConnectMs / 1_000);
      return text();
    },
  };
}
