import type { Labels, MetricsRegistry } from './metrics-registry.ts';

/** Every program has it, with one observation a second. */
export function lagHistogram({ histogram }: MetricsRegistry): (worstLagSeconds: number) => void {
  return histogram(
    'hawser_event_loop_lag_seconds',
    'The longest that the event loop was late in each second: the program was busy, or starved of CPU.',
    [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3],
  );
}

/** Both supervisors have it. */
export function reloadCounter({
  counter,
}: MetricsRegistry): (result: 'done' | 'rejected' | 'failed') => void {
  const known: readonly Labels[] = ['done', 'rejected', 'failed'].map((result) => ({ result }));
  const count = counter(
    'hawser_reloads_total',
    'Reloads: done, rejected by the check, or failed after it.',
    known,
  );
  return (result) => count({ result });
}

/** Both supervisors have it. */
export function internalErrorCounter({ counter }: MetricsRegistry): () => void {
  return counter(
    'hawser_internal_errors_total',
    'Exceptions inside the supervisor, each of which it survived.',
  );
}
