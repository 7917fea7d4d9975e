import type { LogEvent } from '../system/log.ts';
import type { Labels, MetricsRegistry } from './metrics-registry.ts';

/** The histogram of the event loop's lag, which every program has. Receives one observation per second. */
export function lagHistogram({ histogram }: MetricsRegistry): (worstLagSeconds: number) => void {
  return histogram(
    'hawser_event_loop_lag_seconds',
    'Longest delay of the event loop in each second.',
    [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3],
  );
}

/** A supervisor's metrics: counts of logged events, and gauges from the current state `Now`. */
export interface SupervisorMetrics<Now> {
  readonly observe: (event: LogEvent) => void;
  /** The event of a supervised program whose timers fire late, since it gets no CPU time. */
  readonly lateTimerEvent?: string;
  readonly lag: (worstLagSeconds: number) => void;
  readonly text: (now: Now) => string;
}

/** Event counters of every supervisor. */
export function supervisorCounts(registry: MetricsRegistry) {
  const results: readonly Labels[] = ['done', 'rejected', 'failed'].map((result) => ({ result }));
  const reload = registry.counter(
    'hawser_reloads_total',
    'Reloads: done, rejected by the check, or failed for another reason.',
    results,
  );
  const reject = registry.counter(
    'hawser_config_rejected_total',
    'Configurations that the supervised program refused.',
  );
  const internalErrors = registry.counter(
    'hawser_internal_errors_total',
    'Exceptions inside the supervisor that it survived.',
  );
  return {
    /** Counts a configuration that is now in use. */
    accepted: ({ cause }: LogEvent): void => {
      if (cause === 'request') reload({ result: 'done' });
    },
    refused: ({ cause, stage }: LogEvent): void => {
      if (stage === 'check') reject();
      if (cause === 'request') reload({ result: stage === 'check' ? 'rejected' : 'failed' });
    },
    internalError: () => internalErrors(),
    lag: lagHistogram(registry),
  };
}
