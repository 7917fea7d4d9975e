import type { Applier } from '../../apply/applier.ts';
import type { ApplyOutcome } from '../../model/apply-outcome.ts';
import { retryPauseMs } from '../../model/retry.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import type { Wake } from '../../system/wake.ts';
import type { Rendered } from './renderer.ts';

/** A refused or unanswered configuration is tried again after this long, doubled up to the longest. */
const RETRY = { firstMs: 500, longestMs: 15_000 };

/** One program's configuration: what it is made from, how, and who takes it over. */
export interface ConfigurationParts<T> {
  readonly wake: Wake;
  readonly checkIntervalMs: number;
  /** The loop has gone round. */
  readonly beat: () => void;
  /** What to serve now, undefined while that is not known; and when time alone will change it. */
  readonly next: (signal: AbortSignal) => Promise<Wanted<T>>;
  /** Undefined where it cannot be rendered, which has been told. */
  readonly render: (input: T) => Promise<Rendered | undefined>;
  readonly applierOf: (mode: number) => Applier;
  readonly observe: (outcome: ApplyOutcome, input: T, text: string) => void;
}

export interface Wanted<T> {
  readonly input: T | undefined;
  readonly lookAgainInMs: number | undefined;
}

interface Attempt {
  readonly text: string;
  readonly failures: number;
  readonly retryAt: number;
}

/**
 * Wait for a change, take what is wanted, render, apply, observe; until `signal` aborts. An attempt that failed is
 * repeated after a growing pause, or at once when the text changes. Applying is attempted on every wake: a file that
 * somebody edited or removed is put back within one check interval.
 */
export async function runConfigurationLoop<T>(
  parts: ConfigurationParts<T>,
  signal: AbortSignal,
): Promise<void> {
  let attempt: Attempt | undefined;
  let pauseMs = parts.checkIntervalMs;
  while (!signal.aborted) {
    await parts.wake.sleep(pauseMs, signal);
    parts.beat();
    const { input, lookAgainInMs } = await parts.next(signal);
    pauseMs = Math.min(parts.checkIntervalMs, lookAgainInMs ?? Number.POSITIVE_INFINITY);
    const rendered = input === undefined ? undefined : await parts.render(input);
    if (rendered === undefined || input === undefined || signal.aborted) continue;
    if (isTooEarly(attempt, rendered.text)) continue;
    const outcome = await tryApply(parts.applierOf(rendered.mode), rendered.text, attempt, signal);
    if (outcome === undefined) continue;
    attempt = nextAttempt(attempt, rendered.text, outcome);
    parts.observe(outcome, input, rendered.text);
    if (attempt !== undefined) pauseMs = Math.min(pauseMs, attempt.retryAt - monotonicMs());
  }
}

/** Undefined where the monitor was stopped meanwhile. */
async function tryApply(
  applier: Applier,
  text: string,
  before: Attempt | undefined,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  if (before?.text === text) applier.retryRejected();
  try {
    return await applier.apply(text, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function isTooEarly(attempt: Attempt | undefined, text: string): boolean {
  return attempt !== undefined && attempt.text === text && monotonicMs() < attempt.retryAt;
}

function nextAttempt(before: Attempt | undefined, text: string, outcome: ApplyOutcome): Attempt | undefined {
  if (outcome.kind === 'unchanged' || outcome.kind === 'reloaded') return undefined;
  const failures = (before?.text === text ? before.failures : 0) + 1;
  return { text, failures, retryAt: monotonicMs() + retryPauseMs(failures, RETRY) };
}
