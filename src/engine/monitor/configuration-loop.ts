import type { Applier } from '../apply/applier.ts';
import { type ApplyOutcome, isUnchecked } from '../apply/apply-outcome.ts';
import { isSameSet, type Rendered } from '../apply/file-set.ts';
import { retryPauseMs } from '../system/time/retry.ts';
import type { Wake } from '../system/time/wake.ts';
import { beginIdleCheck, type IdleCheck } from './idle-check.ts';
import { type ProposalParts, type Proposed, propose } from './proposal.ts';
import type { Attempt, ReloadPace } from './reload-pace.ts';

/** Backoff for a refused or unanswered configuration: doubles up to `longestMs`. */
const RETRY = { firstMs: 500, longestMs: 15_000 };

/** Validation protects only the next start of HAProxy, and costs more CPU than the runtime update it follows. */
const CHECK_EVERY_MS = 10_000;

/** While a reload is rate-limited, render at most 20 % of the time. */
const REST_FACTOR = 4;

/** One program's configuration: how to render it, and which supervisor applies it. */
export interface ConfigurationParts<T> extends ProposalParts<T> {
  readonly wake: Wake;
  readonly checkIntervalMs: number;
  /** Called in each iteration. */
  readonly beat: () => void;
  readonly applier: Applier;
  /** Rate limit on reloads. Undefined: every configuration is applied at once. */
  readonly pace?: Pick<ReloadPace<T>, 'turn' | 'note'>;
  /** The loop continues when it resolves. */
  readonly observe: (
    outcome: ApplyOutcome,
    input: T,
    rendered: Rendered,
    attempt: Attempt,
  ) => void | Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

interface Tried {
  readonly rendered: Rendered;
  readonly failures: number;
  readonly retryAt: number;
}

/**
 * Waits for a change, takes the desired input, renders, applies and observes, until `signal` aborts. A failed attempt is repeated with backoff,
 * or at once when a file of the set changes. Every wake applies: a main file that was edited or removed by hand is restored within one check
 * interval, another file of its set within five more seconds. If a configuration has to wait for a reload, its runtime updates are applied at
 * once.
 * A runtime update is validated while the loop waits: at once after a quiet period, otherwise ten seconds after the last validation began. A
 * newer runtime update interrupts a validation that is not overdue. Every other configuration waits for the verdict, which is observed as a
 * second outcome of the validated one.
 */
export async function runConfigurationLoop<T>(
  parts: ConfigurationParts<T>,
  signal: AbortSignal,
): Promise<void> {
  let tried: Tried | undefined;
  let checking: IdleCheck<T> | undefined;
  /** Applied, not validated yet. */
  let unchecked: { readonly of: Proposed<T>; readonly attempt: Attempt } | undefined;
  let checkAtMs = Number.NEGATIVE_INFINITY;
  /** A point in time, not a pause: applying takes time too. */
  let lookAgainAtMs = Number.POSITIVE_INFINITY;
  let restUntilMs = 0;
  const note = async (outcome: ApplyOutcome, of: Proposed<T>, attempt: Attempt): Promise<void> => {
    const failures = isOf(of.rendered, tried) ? tried.failures : 0;
    tried = nextTry(failures, of.rendered, outcome, parts.now());
    parts.pace?.note(outcome, of, attempt);
    await parts.observe(outcome, of.input, of.rendered, attempt);
  };
  /** True: the next one may be applied on top. */
  const endCheck = async ({ outcome, of, attempt }: IdleCheck<T>): Promise<boolean> => {
    const found = await unlessStopped(outcome, signal);
    checking = undefined;
    if (found !== undefined) await note(found, of, attempt);
    return found === undefined || isAccepted(found);
  };
  const checkIfDue = (): void => {
    if (unchecked === undefined) return;
    // Validate at once if this configuration was refused before.
    if (parts.now() < checkAtMs && !isOf(unchecked.of.rendered, tried)) return;
    checking = beginIdleCheck(parts, unchecked.of, unchecked.attempt, signal);
    unchecked = undefined;
    if (checking !== undefined) checkAtMs = parts.now() + CHECK_EVERY_MS;
  };
  while (!signal.aborted) {
    const nowMs = parts.now();
    const wakeAtMs = unchecked !== undefined ? Math.min(lookAgainAtMs, checkAtMs) : lookAgainAtMs;
    const wakeInMs = Math.max(0, Math.ceil(wakeAtMs - nowMs));
    const pauseMs = Math.min(parts.checkIntervalMs, wakeInMs, retryInMs(tried, nowMs) ?? Infinity);
    await sleep(parts, pauseMs, restUntilMs, signal);
    parts.beat();
    if (checking?.isOver() === true) await endCheck(checking);
    checkIfDue();
    const wokenMs = parts.now();
    const proposal = await propose(parts, signal);
    const proposedUntilMs = parts.now() + (proposal.lookAgainInMs ?? Infinity);
    lookAgainAtMs = proposedUntilMs;
    if (proposal.kind !== 'rendered' || signal.aborted) continue;
    const { now, laterMs } = (await parts.pace?.turn(proposal)) ?? { now: proposal, laterMs: 0 };
    if (laterMs > 0) {
      const heldAtMs = parts.now();
      lookAgainAtMs = Math.min(heldAtMs + laterMs, lookAgainAtMs);
      restUntilMs = heldAtMs + Math.min(laterMs, REST_FACTOR * (heldAtMs - wokenMs));
    }
    if (now === undefined || signal.aborted) continue;
    const isRetry = isOf(now.rendered, tried);
    if (isRetry && retryInMs(tried, parts.now()) !== undefined) continue;
    if (checking?.giveWayTo(now.rendered) === false) {
      // The end of the validation wakes the loop.
      lookAgainAtMs = proposedUntilMs;
      continue;
    }
    if (checking !== undefined && !(await endCheck(checking))) continue;
    if (isRetry) parts.applier.retryRejected();
    const attempt = { startMs: parts.now(), isPart: laterMs > 0 };
    const outcome = await unlessStopped(parts.applier.apply(now.rendered, signal), signal);
    if (outcome === undefined) continue;
    await note(outcome, now, attempt);
    unchecked = isAccepted(outcome) && isUnchecked(outcome) ? { of: now, attempt } : undefined;
    checkIfDue();
  }
  // Wait until the validating process has exited.
  if (checking !== undefined) await unlessStopped(checking.outcome, signal);
}

/** Sleeps until woken, and then until `restUntilMs`: a stream of events during a rate-limited reload must not use a whole CPU. */
async function sleep(
  { wake, now }: Pick<ConfigurationParts<unknown>, 'wake' | 'now'>,
  timeoutMs: number,
  restUntilMs: number,
  signal: AbortSignal,
): Promise<void> {
  await wake.sleep(timeoutMs, signal);
  while (now() < restUntilMs && !signal.aborted) await wake.sleep(Math.ceil(restUntilMs - now()), signal);
}

/** Undefined if the monitor was stopped meanwhile. */
async function unlessStopped(
  outcome: Promise<ApplyOutcome | undefined>,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  try {
    return await outcome;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function isOf(rendered: Rendered, tried: Tried | undefined): tried is Tried {
  return tried !== undefined && isSameSet(tried.rendered, rendered);
}

function isAccepted({ kind }: ApplyOutcome): boolean {
  return kind === 'unchanged' || kind === 'reloaded';
}

/** Whole milliseconds, since timers drop the fraction and would fire early. Undefined once the time has come. */
function retryInMs(tried: Tried | undefined, nowMs: number): number | undefined {
  const leftMs = tried === undefined ? 0 : Math.ceil(tried.retryAt - nowMs);
  return leftMs > 0 ? leftMs : undefined;
}

function nextTry(
  failuresBefore: number,
  rendered: Rendered,
  outcome: ApplyOutcome,
  nowMs: number,
): Tried | undefined {
  // An unchecked runtime update may still be refused, and each such attempt costs a reload. So failures accumulate until one is accepted.
  if (isAccepted(outcome))
    return isUnchecked(outcome) && failuresBefore > 0
      ? { rendered, failures: failuresBefore, retryAt: nowMs }
      : undefined;
  const failures = failuresBefore + 1;
  return { rendered, failures, retryAt: nowMs + retryPauseMs(failures, RETRY) };
}
