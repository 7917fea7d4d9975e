import { type ApplyOutcome, REFUSED } from '../../engine/config/outcome.ts';
import { type MetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { createMonitorMetrics, type MonitorMetrics } from '../../engine/observe/monitor-metrics.ts';
import type { Decision } from '../decide/decide.ts';
import type { Admission, AdmittedRoute, RejectionReason } from '../decide/verdict.ts';
import type { RouterObserver } from './router-observer.ts';

/** Prometheus metrics of the running router, in addition to HAProxy's own statistics. */
export interface RouterMetrics extends MonitorMetrics {
  /** Called for each event that may change the configuration. */
  readonly objectChanged: () => void;
  /** Counts the outcomes of decisions. */
  readonly observer: RouterObserver;
  /** Counts writes of statuses, and changes of our entries by other writers. */
  readonly statusWrite: (result: 'written' | 'failed' | 'contended') => void;
  /** Counts lists that lacked most of the known objects. */
  readonly listDoubted: () => void;
  readonly ready: (isReady: boolean) => void;
}

/** Every reason starts at 0, so that alerts can compare with an earlier value. */
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

const RESULTS = ['done', 'rejected', 'failed'] as const;

/** The metrics named `template_router_…` keep openshift-router's names, so that its dashboards work. `nowMs` is monotonic. */
export function createRouterMetrics(
  nowMs: () => number,
  registry: MetricsRegistry,
  reasons: readonly string[],
): RouterMetrics {
  const countOutcome = outcomeMetrics(registry, reasons);
  const changes = changeTimes(nowMs, registry);
  const showRoutes = routeMetrics(registry);
  const statuses = registry.counter(
    'hawser_router_status_writes_total',
    'Writes of the statuses of Routes and Ingresses: written, failed, or contended (changed by another router of that name, or another controller).',
    [{ result: 'written' }, { result: 'failed' }, { result: 'contended' }],
  );
  const doubted = registry.counter(
    'hawser_router_doubted_lists_total',
    'Lists that lacked more than half of the known objects; used only if a second one agrees.',
  );
  return {
    ...createMonitorMetrics(nowMs, registry),
    objectChanged: changes.objectChanged,
    observer: {
      onDecided: changes.decided,
      onDecision: ({ admission }) => showRoutes(admission),
      onOutcome: (outcome, tookMs, cause, isPart = false) => {
        changes.outcome(outcome, isPart);
        countOutcome(outcome, tookMs, cause);
      },
    },
    statusWrite: (result) => statuses({ result }),
    listDoubted: () => doubted(),
    ready: simpleGauge(
      registry,
      'hawser_router_ready',
      '1 while /healthz/ready of the router answers with 200.',
    ),
  };
}

function outcomeMetrics(registry: MetricsRegistry, reasons: readonly string[]) {
  const seconds = registry.summary('template_router_reload_seconds', 'How long reloads of HAProxy took.');
  const written = registry.summary(
    'template_router_write_config_seconds',
    'How long it took to write the configuration.',
  );
  const failing = simpleGauge(
    registry,
    'template_router_reload_failure',
    '1 if the last reload failed or its configuration was refused.',
  );
  const reloads = registry.counter(
    'hawser_router_reloads_total',
    'Reloads by reason and result: done, rejected, failed.',
    reasons.flatMap((reason) => RESULTS.map((result) => ({ reason, result }))),
  );
  const avoided = registry.counter(
    'hawser_router_reloads_avoided_total',
    'Changes that HAProxy serves without a reload.',
  );
  const commands = registry.counter(
    'hawser_router_runtime_commands_total',
    'Commands to the running HAProxy that changed it without a reload.',
    [{ result: 'done' }, { result: 'failed' }],
  );
  return (outcome: ApplyOutcome, tookMs: number, cause: string): void => {
    failing(!isServed(outcome));
    if (outcome.kind === 'reloaded') {
      // The supervisor reports how long the reload took. Without an answer, all the time counts as writing.
      const reloadMs = outcome.tookMs ?? 0;
      written((tookMs - reloadMs) / 1_000);
      commands({ result: 'done' }, outcome.commands ?? 0);
      commands({ result: 'failed' }, outcome.what === REFUSED ? 1 : 0);
      if (outcome.atRunTime === true) avoided();
      else seconds(reloadMs / 1_000);
    }
    const result = resultOf(outcome);
    if (result !== undefined) reloads({ reason: reasonOf(outcome, cause), result });
  };
}

function isServed({ kind }: ApplyOutcome): boolean {
  return kind === 'reloaded' || kind === 'unchanged';
}

/** The cause of the outcome; for changed routes, the reason why they needed a reload, if there is one. */
function reasonOf(outcome: ApplyOutcome, cause: string): string {
  const what = outcome.kind === 'reloaded' ? outcome.what : undefined;
  return cause === 'routes-changed' ? (what ?? cause) : cause;
}

/** Undefined if there was no reload. */
function resultOf(outcome: ApplyOutcome): (typeof RESULTS)[number] | undefined {
  switch (outcome.kind) {
    case 'unchanged':
      return undefined;
    case 'reloaded':
      return outcome.atRunTime === true ? undefined : 'done';
    case 'rejected':
      return outcome.by === 'check' ? 'rejected' : 'failed';
    case 'unreachable':
    case 'failed':
    case 'superseded':
      return 'failed';
  }
}

/** Measures from the first event of a change until the change is served. */
function changeTimes(nowMs: () => number, registry: MetricsRegistry) {
  const served = registry.histogram(
    'hawser_router_change_to_serving_seconds',
    'From the first event of a change to HAProxy serving it.',
    [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30],
  );
  /** Times of: the first event without a decision; the first event of decisions that are not served; the first event of the newest of these. */
  let changedMs: number | undefined;
  let decidedMs: number | undefined;
  let newMs: number | undefined;
  let newest: Decision | undefined;
  return {
    objectChanged: (): void => {
      changedMs ??= nowMs();
    },
    decided: (decision: Decision): void => {
      if (decision === newest) return;
      newest = decision;
      decidedMs ??= changedMs;
      newMs = changedMs ?? newMs;
      changedMs = undefined;
    },
    outcome: (outcome: ApplyOutcome, isPart: boolean): void => {
      const sinceMs = isPart ? newMs : decidedMs;
      if (outcome.kind === 'reloaded' && sinceMs !== undefined) served((nowMs() - sinceMs) / 1_000);
      if (!isServed(outcome)) return;
      newMs = undefined;
      // After a partial update, the rest still counts from its own first event.
      if (!isPart) decidedMs = undefined;
    },
  };
}

/** Counts served and rejected routes, and shows when the first served certificate expires. */
function routeMetrics(registry: MetricsRegistry): (admission: Admission) => void {
  const served = simpleGauge(registry, 'hawser_router_routes', 'Routes that are served.');
  const rejected = registry.gauge('hawser_router_rejected_routes', 'Routes that are not served, by reason.');
  const expiry = registry.gauge(
    'hawser_router_certificate_expiry_timestamp_seconds',
    'Expiry (Unix time) of the served certificate that expires first.',
  );
  let shown: Admission | undefined;
  const show = (admission: Admission): void => {
    if (admission === shown) return;
    shown = admission;
    served(admission.admitted.length);
    const counts = Map.groupBy(admission.rejected, ({ reason }) => reason);
    for (const reason of rejections) rejected.set(counts.get(reason)?.length ?? 0, { reason });
    expiry.clear();
    const first = firstExpiry(admission.admitted);
    // Prometheus overwrites a label "namespace" with the namespace of the router's pod.
    if (first !== undefined)
      expiry.set(first.validToMs / 1_000, { route_namespace: first.namespace, route: first.name });
  };
  show({ admitted: [], rejected: [] });
  return show;
}

function firstExpiry(admitted: readonly AdmittedRoute[]) {
  let first: { readonly namespace: string; readonly name: string; readonly validToMs: number } | undefined;
  for (const { route, tls } of admitted) {
    const validToMs = tls.certificate?.validToMs;
    if (validToMs === undefined || (first !== undefined && first.validToMs <= validToMs)) continue;
    first = { namespace: route.namespace, name: route.name, validToMs };
  }
  return first;
}
