import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Journal } from './journal.ts';
import type { StepResult } from './summary.ts';
import { difference } from './tally.ts';
import type { Traffic } from './traffic.ts';

/** Time for viewers, and for the results of requests affected by a step. */
const BETWEEN_STEPS_MS = 2_500;

/** A change to a stage. `run` resolves with hawser's reaction once HAProxy serves accordingly. */
export interface Step<St> {
  readonly title: string;
  /** Preparation that is not timed. */
  readonly prepare?: (stage: St) => Promise<void>;
  readonly run: (stage: St, signal: AbortSignal) => Promise<string>;
}

/** A round's view of a stage: the request counts and the programs' output. */
export interface Watched {
  readonly traffic: Pick<Traffic, 'counts'>;
  readonly journal: Pick<Journal, 'explain'>;
}

export type OnStep = (step: { readonly number: number; readonly of: number; readonly title: string }) => void;

/** Runs the steps in order. Rejects at the first step that does not finish, and when `signal` aborts. */
export async function runRound<St extends Watched>(
  stage: St,
  steps: readonly Step<St>[],
  onStep: OnStep,
  signal: AbortSignal,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  await pause(BETWEEN_STEPS_MS, undefined, { signal });
  for (const [index, { title, prepare, run }] of steps.entries()) {
    onStep({ number: index + 1, of: steps.length, title });
    await prepare?.(stage);
    const before = stage.traffic.counts();
    const startedMs = monotonicMs();
    const outcome = await run(stage, signal).catch((error) => {
      signal.throwIfAborted();
      return stage.journal.explain(error);
    });
    const tookMs = monotonicMs() - startedMs;
    await pause(BETWEEN_STEPS_MS, undefined, { signal });
    results.push({ title, outcome, tookMs, counts: difference(stage.traffic.counts(), before) });
  }
  return results;
}
