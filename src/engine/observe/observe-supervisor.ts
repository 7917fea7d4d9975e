import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { watchEventLoop } from './event-loop-lag.ts';
import { createStarvationWatch } from './starvation-watch.ts';
import type { SupervisorMetrics } from './supervisor-metrics.ts';

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
    if (event.event === metrics.lateTimerEvent) starvation.lateTimer();
  };
}
