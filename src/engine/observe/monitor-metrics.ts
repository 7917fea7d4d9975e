import { type MetricsRegistry, simpleGauge } from './metrics-registry.ts';
import { lagHistogram } from './shared-metrics.ts';

/** Metrics of every monitor; a product adds its own to the same registry. */
export interface MonitorMetrics {
  /** Records an iteration of the monitor's loop. */
  readonly beat: () => void;
  readonly applied: (result: string) => void;
  /** Expiry of the kubeconfig user's certificate, in milliseconds of the Unix epoch; undefined without a certificate. */
  readonly clientCertificate: (validToMs: number | undefined) => void;
  readonly lag: (worstLagSeconds: number) => void;
  readonly secondsSinceBeat: () => number;
  /** All metrics of the registry. */
  readonly text: () => string;
}

const APPLY_RESULTS = ['unchanged', 'changed', 'reloaded', 'rejected', 'unreachable', 'failed', 'superseded'];

export function createMonitorMetrics(nowMs: () => number, registry: MetricsRegistry): MonitorMetrics {
  const results = registry.counter(
    'hawser_applies_total',
    'Configurations by result: unchanged, changed (at runtime), reloaded, rejected, unreachable, failed, superseded.',
    APPLY_RESULTS.map((result) => ({ result })),
  );
  const clientCertificate = simpleGauge(
    registry,
    'hawser_client_certificate_expiry_timestamp_seconds',
    "Expiry (Unix time) of the kubeconfig's client certificate, 0 if it has none.",
  );
  const lastLoop = simpleGauge(
    registry,
    'hawser_monitor_last_loop_timestamp_seconds',
    "Unix time of the last iteration of the monitor's loop.",
  );
  let lastBeat = nowMs();
  const secondsSinceBeat = (): number => (nowMs() - lastBeat) / 1_000;
  return {
    beat: () => {
      lastBeat = nowMs();
    },
    applied: (result) => results({ result }),
    clientCertificate: (validToMs) => clientCertificate((validToMs ?? 0) / 1_000),
    lag: lagHistogram(registry),
    secondsSinceBeat,
    text: () => {
      lastLoop(Date.now() / 1_000 - secondsSinceBeat());
      return registry.text();
    },
  };
}
