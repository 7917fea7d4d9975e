import { openApiSession } from '../engine/kube/api-session.ts';
import { openCredentials } from '../engine/kube/in-cluster.ts';
import { trackApi } from '../engine/kube/outage.ts';
import { runConfigurationLoop } from '../engine/monitor/configuration-loop.ts';
import { type Monitor, monitorProgram } from '../engine/monitor/monitor-program.ts';
import type { Loops } from '../engine/monitor/run-monitor.ts';
import { hawserVersion } from '../engine/system/version.ts';
import { haproxyEvents } from '../haproxy/haproxy-events.ts';
import { askRuntimeApi } from '../haproxy/runtime-api.ts';
import { keepRecords } from './dns/keep-records.ts';
import { followProxy } from './follow-proxy.ts';
import { type OwnPod, type PodEvent, writePodEvent } from './pod/pod.ts';
import { createProblemRecord } from './problem.ts';
import { proxyConfiguration } from './proxy-configuration.ts';
import { createProxyMetrics, type ProxyMetrics } from './proxy-metrics.ts';
import type { ProxySettings } from './proxy-settings.ts';
import type { ProxyStatus } from './proxy-status.ts';
import { createStatistics, type Database, databaseIn, type Statistics } from './statistics.ts';

/** Less than the kubelet's probe timeout of one second. */
const PROBE_MS = 800;

/** Runs the pod proxy's monitor. Resolves with exit code 0 after a requested stop. HAProxy keeps running. */
export async function runProxy(settings: ProxySettings): Promise<number> {
  const statistics = createStatistics(settings);
  return await monitorProgram(
    {
      name: 'pod-proxy',
      events: haproxyEvents,
      createMetrics: createProxyMetrics,
      page: (_metrics, unready) => ({ unready, moreMetrics: statistics.page }),
    },
    settings,
    async (monitor) => prepare(settings, monitor, statistics),
  );
}

function prepare(
  settings: ProxySettings,
  { observers, log, wake, show, readyUnless, signal }: Monitor<ProxyMetrics>,
  statistics: Statistics,
): Loops {
  const kubeconfig = openCredentials(settings.kubeconfig, settings.env, log);
  // The session outlives `signal`, because the Lease is released after `signal` has aborted.
  const closing = new AbortController();
  const session = openApiSession({ kubeconfig }, closing.signal);
  const onChange = (): void => {
    configuration.onChange();
    wake.poke();
    records.onChange();
  };
  const outage = trackApi(log);
  const followed = followProxy(settings, { session, report: log, outage, onChange });
  const writeEvent = (own: OwnPod, event: PodEvent): void => {
    void writePodEvent(session, own, event, observers, signal);
  };
  const problems = createProblemRecord(observers, writeEvent);
  const { own } = followed;
  const records = keepRecords({ settings, session, outage, own, observers, writeEvent });
  const parts = { wake, followed, problems, statistics };
  const configuration = proxyConfiguration(settings, parts, observers, signal);
  const version = hawserVersion();
  const pod = `${settings.namespace}/${settings.pod}`;
  show(
    (): ProxyStatus => ({
      version,
      pod,
      synced: followed.view().kind !== 'unknown',
      ...configuration.view(),
      dns: records.view(),
    }),
  );
  readyUnless(() => whyNotReady(settings));
  log({ event: 'monitor-started', pod, config: settings.config });
  const database = (): Database => databaseIn(own()?.annotations ?? {});
  return {
    api: followed.run,
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    dns: async (stop) => {
      await records.run(stop);
      closing.abort();
    },
    statistics: (stop) => statistics.push(database, observers, stop),
  };
}

/** The pod is ready while HAProxy serves. An invalid annotation or a restarted monitor does not change readiness. */
async function whyNotReady({ statsSocket }: ProxySettings): Promise<string | undefined> {
  const info = await askRuntimeApi(statsSocket, 'show info', PROBE_MS);
  return info === undefined ? 'HAProxy does not serve yet' : undefined;
}
