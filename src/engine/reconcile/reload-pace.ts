import type { ApplyOutcome } from '../apply/apply-outcome.ts';
import { reloadStartMs, reloadWaitMs } from './reload-limit.ts';

/** When a configuration may be applied. Configurations are told apart by their identity. */
interface ReloadPace {
  /** How long it has to wait. What is served already, and so costs no reload, does not wait. */
  readonly holdMs: (identity: string) => number;
  readonly isServed: (identity: string) => boolean;
  /** A configuration was served once: what HAProxy has now is it, or a later one. */
  readonly hasServed: () => boolean;
  /** What became of one that was applied from `attemptMs` on. */
  readonly note: (identity: string, outcome: ApplyOutcome, attemptMs: number) => void;
}

/** At most one reload starts in `intervalMs`, the first one at once. */
export function createReloadPace(intervalMs: number, nowMs: () => number): ReloadPace {
  let lastStartMs: number | undefined;
  let served: string | undefined;
  let hasServed = false;
  return {
    holdMs: (identity) => (identity === served ? 0 : reloadWaitMs(lastStartMs, intervalMs, nowMs())),
    isServed: (identity) => identity === served,
    hasServed: () => hasServed,
    note: (identity, outcome, attemptMs) => {
      served = outcome.kind === 'reloaded' || outcome.kind === 'unchanged' ? identity : undefined;
      hasServed ||= served !== undefined;
      lastStartMs = reloadStartMs(outcome, attemptMs, nowMs()) ?? lastStartMs;
    },
  };
}
