import { watchEventLoop } from '../observe/event-loop-lag.ts';
import type { Log } from '../observe/logger.ts';
import { createStarvationWatch } from '../observe/starvation-watch.ts';
import type { SupervisorMetrics } from '../observe/supervisor-metrics.ts';
import { monotonicMs } from '../system/monotonic-clock.ts';

/** Returns a function that passes each event to the log, to the metrics and to the starvation watch. */
export function observeSupervisor<Now>(log: Log, metrics: SupervisorMetrics<Now>): Log {
  const starvation = createStarvationWatch(log, monotonicMs);
  watchEventLoop((worstLagSeconds) => {
    metrics.lag(worstLagSeconds);
    starvation.lag(worstLagSeconds);
  });
  return (event) => {
    log(event);
    metrics.observe(event);
    if (event.event === 'keepalived-late') starvation.lateTimer();
  };
}
