import { openApiSession } from '../engine/kube/api-session.ts';
import { openCredentials } from '../engine/kube/in-cluster.ts';
import { runConfigurationLoop } from '../engine/reconcile/configuration-loop.ts';
import { type Monitor, monitorProgram } from '../engine/reconcile/monitor-program.ts';
import type { Loops } from '../engine/reconcile/run-monitor.ts';
import { hawserVersion } from '../engine/system/version.ts';
import { followProxy } from './follow-proxy.ts';
import { writePodEvent } from './pod-events.ts';
import { createProblemRecord } from './problem.ts';
import { proxyConfiguration } from './proxy-configuration.ts';
import { createProxyMetrics, type ProxyMetrics } from './proxy-metrics.ts';
import type { ProxySettings } from './proxy-settings.ts';
import type { ProxyStatus } from './proxy-status.ts';

/** Resolves with 0 after a stop was requested. HAProxy goes on. */
export async function runProxy(settings: ProxySettings): Promise<number> {
  return await monitorProgram(
    { name: 'pod-proxy', createMetrics: createProxyMetrics },
    settings,
    async (monitor) => prepare(settings, monitor),
  );
}

function prepare(
  settings: ProxySettings,
  { observers, log, wake, show, signal }: Monitor<ProxyMetrics>,
): Loops {
  const kubeconfig = openCredentials(settings.kubeconfig, settings.env, log);
  const session = openApiSession({ kubeconfig }, signal);
  const hear = (): void => {
    configuration.see();
    wake.poke();
  };
  const followed = followProxy(settings, { session, report: log, hear });
  const problems = createProblemRecord(observers, (own, event) => {
    void writePodEvent(session, own, event, observers, signal);
  });
  const configuration = proxyConfiguration(settings, { wake, followed, problems }, observers, signal);
  const [version, pod] = [hawserVersion(), `${settings.namespace}/${settings.pod}`];
  show(
    (): ProxyStatus => ({ version, pod, known: followed.view().kind !== 'unknown', ...configuration.view() }),
  );
  log({ event: 'monitor-started', pod, config: settings.config });
  return { api: followed.run, configuration: (stop) => runConfigurationLoop(configuration, stop) };
}
