import { createHaproxyMonitorMetrics } from '../../../src/api-lb/haproxy-monitor-metrics.ts';
import { createMetricsRegistry, type MetricsRegistry } from '../../../src/engine/observe/metrics-registry.ts';
import type { MonitorMetrics } from '../../../src/engine/observe/monitor-metrics.ts';
import { processMetrics } from '../../../src/engine/observe/process-metrics.ts';
import { createHaproxySupervisorMetrics } from '../../../src/haproxy/supervise/haproxy-supervisor-metrics.ts';
import { createVrrpSupervisorMetrics } from '../../../src/keepalived/supervise/vrrp-supervisor-metrics.ts';
import { createProxyMetrics } from '../../../src/pod-proxy/proxy-metrics.ts';
import { createRouterMetrics } from '../../../src/router/serve/router-metrics.ts';
import { createKeepalivedMonitorMetrics } from '../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { decided, routeObject } from '../../unit/router/objects-of.ts';
import { parseExposition, type Sample } from './exposition.ts';

const own = processMetrics({ version: '1.2.3' });

/** The samples of each job once everything it counts has happened. A gauge that was not set is 0 and left out. */
export async function drivenPages(): Promise<ReadonlyMap<string, readonly Sample[]>> {
  return new Map([...(await drivenTexts())].map(([job, text]) => [job, said(text)]));
}

/** The same as the text of each job's `/metrics`. */
export async function drivenTexts(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['hawser-haproxy-monitor', await haproxyMonitorPage()],
    ['hawser-keepalived-monitor', await keepalivedMonitorPage()],
    ['hawser-haproxy', haproxySupervisorPage()],
    ['hawser-keepalived', vrrpSupervisorPage()],
    ['hawser-router', routerPage()],
    ['hawser-router-haproxy', haproxySupervisorPage()],
    ['hawser-pod-proxy', podProxyPage()],
  ]);
}

function said(text: string): readonly Sample[] {
  return parseExposition(text).filter(
    ({ labels, value }) => value !== 0 || Object.keys(labels).some((label) => label !== 'le'),
  );
}

/** Its loop is one second old. */
function drivenMonitor<Metrics extends MonitorMetrics>(
  create: (nowMs: () => number, registry: MetricsRegistry) => Metrics,
): Metrics {
  let nowMs = 0;
  const metrics = create(() => {
    nowMs += 1_000;
    return nowMs;
  }, createMetricsRegistry());
  for (const result of ['unchanged', 'reloaded', 'rejected', 'unreachable', 'failed'])
    metrics.applied(result);
  metrics.clientCertificate(1_000);
  metrics.lag(0.1);
  metrics.beat();
  return metrics;
}

async function haproxyMonitorPage(): Promise<string> {
  const metrics = drivenMonitor(createHaproxyMonitorMetrics);
  metrics.usable(true);
  metrics.servers(3);
  metrics.changeServed(0.7);
  metrics.apiReachable(true);
  metrics.held('empty-list');
  metrics.redirect(true);
  metrics.serversUp([['cp-1', true]]);
  return metrics.text() + own();
}

async function keepalivedMonitorPage(): Promise<string> {
  const metrics = drivenMonitor(createKeepalivedMonitorMetrics);
  metrics.usable(true);
  metrics.groupNodes('api', 3);
  metrics.participation('api', 'in');
  metrics.ingressUsable(true);
  metrics.splitBrain('10.0.0.5', true);
  metrics.staleVipRemoved();
  metrics.virtualRouterIdTaken(true);
  metrics.drained('api', true);
  return metrics.text() + own();
}

function routerPage(): string {
  const metrics = drivenMonitor((nowMs, registry) => createRouterMetrics(nowMs, registry, ['routes']));
  metrics.listDoubted();
  const decision = decided(['cart', 'late'].map((name, age) => routeObject({ name, age })));
  const certificate = { pem: '', fingerprint: '', validToMs: 1_000 };
  const admitted = decision.admission.admitted.map((route) => ({ ...route, tls: { certificate } }));
  metrics.objectChanged();
  metrics.observer.onDecided?.(decision);
  metrics.observer.onDecision?.({ ...decision, admission: { ...decision.admission, admitted } }, new Set());
  metrics.observer.onOutcome?.({ kind: 'reloaded', tookMs: 100 }, 200, 'routes');
  metrics.observer.onOutcome?.({ kind: 'rejected', by: 'check', message: '', detail: '' }, 200, 'routes');
  metrics.ready(true);
  return metrics.text() + own();
}

function podProxyPage(): string {
  const metrics = drivenMonitor(createProxyMetrics);
  metrics.changeServed(0.1);
  metrics.hosts({ web: ['10.0.0.1'] });
  metrics.refused(true);
  metrics.linesSent(1);
  metrics.linesDropped(1);
  metrics.dns.addresses(1);
  metrics.dns.refused(true);
  metrics.dns.written(1);
  return metrics.text() + own();
}

function haproxySupervisorPage(): string {
  const metrics = createHaproxySupervisorMetrics();
  metrics.observe({ event: 'server-set-aside' });
  metrics.observe({ event: 'generation-serving', cause: 'request', tookMs: 90 });
  metrics.observe({ event: 'generation-serving', cause: 'died', tookMs: 90 });
  metrics.observe({ event: 'generation-refused', cause: 'request', stage: 'check' });
  metrics.lag(0.1);
  return (
    metrics.text({
      serving: 1,
      starting: 1,
      draining: 1,
      drainingMemoryBytes: 1_024,
      redispatched: 1,
      longestConnectMs: 250,
    }) + own()
  );
}

function vrrpSupervisorPage(): string {
  const metrics = createVrrpSupervisorMetrics();
  const transition = { event: 'vrrp-transition', instance: 'API', cause: 'no-better-advert' };
  for (const to of ['MASTER', 'BACKUP', 'FAULT']) metrics.observe({ ...transition, to });
  metrics.observe({ event: 'vip-restored' });
  metrics.observe({ event: 'keepalived-started', cause: 'died' });
  metrics.observe({ event: 'keepalived-reloaded', cause: 'request' });
  metrics.observe({ event: 'configuration-refused', cause: 'request', stage: 'check' });
  metrics.observe({ event: 'keepalived-hung' });
  metrics.observe({ event: 'keepalived-late' });
  metrics.observe({ event: 'lower-priority-advert-received' });
  metrics.lag(0.1);
  return (
    metrics.text([{ name: 'API', state: 'MASTER', vips: [{ address: '10.0.0.5', present: true }] }]) + own()
  );
}
