import { type MetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { createMonitorMetrics, type MonitorMetrics } from '../../engine/observe/monitor-metrics.ts';
import type { RejectionReason } from '../decide/verdict.ts';

/** The served certificate that expires first. */
export interface FirstExpiry {
  readonly namespace: string;
  readonly route: string;
  readonly validToMs: number;
}

/** Prometheus metrics of the running router, in addition to HAProxy's own statistics. */
export interface RouterMetrics extends MonitorMetrics {
  /** A whole set was rendered and written. */
  readonly written: (seconds: number) => void;
  /** A reload: its reason, its result, and how long HAProxy took, if known. */
  readonly reloaded: (reason: string, result: ReloadResult, seconds: number | undefined) => void;
  /** Whether the wanted configuration is not served, because its validation or reload failed. */
  readonly failing: (isFailing: boolean) => void;
  /** A change was served without a reload. */
  readonly reloadAvoided: () => void;
  /** From the first event of a change to the moment at which it is served. */
  readonly changeServed: (seconds: number) => void;
  /** This router's routes: how many are served, and how many are not, by reason. */
  readonly routes: (admitted: number, rejected: ReadonlyMap<RejectionReason, number>) => void;
  readonly runtimeCommands: (done: number, failed: number) => void;
  /** A write of a Route's status, or another writer's change of our entry. */
  readonly statusWrite: (result: 'written' | 'failed' | 'contended') => void;
  /** A list from the API lacked most of the objects seen before. */
  readonly listDoubted: () => void;
  readonly firstExpiry: (certificate: FirstExpiry | undefined) => void;
  readonly ready: (isReady: boolean) => void;
}

export type ReloadResult = 'done' | 'rejected' | 'failed';

/** All of them, each of which shows 0 where there are none: an alert compares now with before. */
const rejections = Object.keys({
  NoHostValue: true,
  InvalidHost: true,
  HostAlreadyClaimed: true,
  RouteNotAdmitted: true,
  ExtendedValidationFailed: true,
  ExternalCertificateValidationFailed: true,
  ExternalCertificateGetFailed: true,
  InternalError: true,
  Unprintable: true,
  ConfigurationRefused: true,
} satisfies Readonly<Record<RejectionReason, true>>) as readonly RejectionReason[];

const RESULTS: readonly ReloadResult[] = ['done', 'rejected', 'failed'];

/** The first three have the names of openshift-router, so that its dashboards go on; the others are hawser's. */
export function createRouterMetrics(
  nowMs: () => number,
  registry: MetricsRegistry,
  knownReasons: readonly string[],
): RouterMetrics {
  const number = (name: string, help: string) => simpleGauge(registry, name, help);
  const reload = reloadMetrics(registry, knownReasons);
  const admitted = number('hawser_router_routes', 'Routes that are served.');
  const rejected = registry.gauge('hawser_router_rejected_routes', 'Routes that are not served, by reason.');
  const commands = registry.counter(
    'hawser_router_runtime_commands_total',
    'Commands to the running HAProxy that changed it without a reload.',
    [{ result: 'done' }, { result: 'failed' }],
  );
  const statuses = registry.counter(
    'hawser_router_status_writes_total',
    'Writes of the statuses of Routes and Ingresses: written, failed, or contended (changed by another router of that name, or another controller).',
    [{ result: 'written' }, { result: 'failed' }, { result: 'contended' }],
  );
  const doubted = registry.counter(
    'hawser_router_doubted_lists_total',
    'Lists that lacked more than half of the known objects; used only if a second one agrees.',
  );
  const expiry = registry.gauge(
    'hawser_router_certificate_expiry_timestamp_seconds',
    'Expiry (Unix time) of the served certificate that expires first.',
  );
  const routes: RouterMetrics['routes'] = (count, reasons) => {
    admitted(count);
    for (const reason of rejections) rejected.set(reasons.get(reason) ?? 0, { reason });
  };
  routes(0, new Map());
  return {
    ...createMonitorMetrics(nowMs, registry),
    ...reload,
    routes,
    runtimeCommands: (done, failed) => {
      commands({ result: 'done' }, done);
      commands({ result: 'failed' }, failed);
    },
    statusWrite: (result) => statuses({ result }),
    listDoubted: () => doubted(),
    firstExpiry: (certificate) => {
      expiry.clear();
      if (certificate === undefined) return;
      // Prometheus puts the namespace of the router's pod in place of a label "namespace".
      const { namespace, route, validToMs } = certificate;
      expiry.set(validToMs / 1_000, { route_namespace: namespace, route });
    },
    ready: number('hawser_router_ready', '1 while /healthz/ready of the router answers with 200.'),
  };
}

function reloadMetrics(registry: MetricsRegistry, knownReasons: readonly string[]) {
  const seconds = registry.summary('template_router_reload_seconds', 'How long reloads of HAProxy took.');
  const written = registry.summary(
    'template_router_write_config_seconds',
    'How long it took to write the configuration.',
  );
  const failure = simpleGauge(
    registry,
    'template_router_reload_failure',
    '1 if the last reload failed or its configuration was refused.',
  );
  const reloads = registry.counter(
    'hawser_router_reloads_total',
    'Reloads by reason and result: done, rejected, failed.',
    knownReasons.flatMap((reason) => RESULTS.map((result) => ({ reason, result }))),
  );
  const avoided = registry.counter(
    'hawser_router_reloads_avoided_total',
    'Changes that HAProxy serves without a reload.',
  );
  const changeServed = registry.histogram(
    'hawser_router_change_to_serving_seconds',
    'From the first event of a change to HAProxy serving it.',
    [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30],
  );
  return {
    written,
    failing: failure,
    changeServed,
    reloadAvoided: () => avoided(),
    reloaded: (reason: string, result: ReloadResult, tookSeconds: number | undefined) => {
      if (tookSeconds !== undefined) seconds(tookSeconds);
      reloads({ reason, result });
    },
  };
}
