import type { Log } from '../system/log.ts';
import { type CpuStarvation, nextStarvation } from './cpu-starvation.ts';

interface StarvationWatch {
  readonly lateTimer: () => void;
  /** Once a second. */
  readonly lag: (worstLagSeconds: number) => void;
}

/** Distinguishes starvation from failure: logs one line when it begins, and one when it ends. */
export function createStarvationWatch(log: Log, nowMs: () => number): StarvationWatch {
  let known: CpuStarvation = { kind: 'none' };
  let lateTimers = 0;
  return {
    lateTimer: () => {
      lateTimers += 1;
    },
    lag: (worstLagSeconds) => {
      const now = nowMs();
      const before = known;
      const lagMs = Math.round(worstLagSeconds * 1_000);
      known = nextStarvation(before, { lagMs, lateTimers }, now);
      if (before.kind === 'none' && known.kind === 'starved')
        log({ event: 'cpu-starvation', level: 'warn', lagMs, lateTimers });
      if (before.kind === 'starved' && known.kind === 'none') {
        const { worstLagMs, lateTimers: late, since, lastAt } = before;
        log({
          event: 'cpu-starvation-over',
          worstLagMs,
          lateTimers: late,
          lastedMs: Math.round(lastAt - since),
        });
      }
      lateTimers = 0;
    },
  };
}
