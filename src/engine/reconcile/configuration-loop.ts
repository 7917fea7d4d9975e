import type { Applier } from '../apply/applier.ts';
import { type ApplyOutcome, isUnchecked } from '../apply/apply-outcome.ts';
import { isSameSet, type Rendered } from '../apply/file-set.ts';
import { retryPauseMs } from '../system/time/retry.ts';
import type { Wake } from '../system/time/wake.ts';
import { beginIdleCheck, type IdleCheck } from './idle-check.ts';
import { type ProposalParts, type Proposed, propose } from './proposal.ts';
import type { Attempt, ReloadPace } from './reload-pace.ts';

/** A refused or unanswered configuration is retried after this pause, which doubles up to the longest. */
const RETRY = { firstMs: 500, longestMs: 15_000 };

/** HAProxy's start with the file is all that a check protects, and one costs more than the change that it follows. */
const CHECK_EVERY_MS = 10_000;

/** While a configuration is held back, the next one is made after this many times what making it took. */
const REST_FACTOR = 4;

/** One program's configuration: how to make it, and which supervisor applies it. */
export interface ConfigurationParts<T> extends ProposalParts<T> {
  readonly wake: Wake;
  readonly checkIntervalMs: number;
  /** Called each time the loop has gone round. */
  readonly beat: () => void;
  readonly applier: Applier;
  /** A limit on reloads. Left out: every configuration is applied at once. */
  readonly pace?: Pick<ReloadPace<T>, 'turn' | 'note'>;
  /** The loop goes on once it resolves. */
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
 * Waits for a change, takes the desired input, renders, applies and observes, until `signal` aborts. A failed attempt
 * is repeated after a growing pause, or at once when a file of the set changes. Every wake applies: a main file that was edited or removed by
 * hand is put back within one check interval, another file of its set within five seconds more. Of a configuration that has to wait, the part
 * that need not is applied at once.
 *
 * What HAProxy was told of is checked while the loop waits: at once after a quiet time, else ten seconds after the last check began. A newer
 * configuration of which HAProxy can be told ends a check that was not put off. Every other one waits for its verdict, which is observed as a second outcome of the checked one.
 */
export async function runConfigurationLoop<T>(
  parts: ConfigurationParts<T>,
  signal: AbortSignal,
): Promise<void> {
  let tried: Tried | undefined;
  let checking: IdleCheck<T> | undefined;
  /** Applied and not checked yet. */
  let unchecked: { readonly of: Proposed<T>; readonly attempt: Attempt } | undefined;
  let checkAtMs = Number.NEGATIVE_INFINITY;
  /** Not a pause: applying takes time as well. */
  let lookAgainAtMs = Number.POSITIVE_INFINITY;
  let restUntilMs = 0;
  const note = async (outcome: ApplyOutcome, of: Proposed<T>, attempt: Attempt): Promise<void> => {
    const failures = isOf(of.rendered, tried) ? tried.failures : 0;
    tried = nextTry(failures, of.rendered, outcome, parts.now());
    parts.pace?.note(outcome, of, attempt);
    await parts.observe(outcome, of.input, of.rendered, attempt);
  };
  /** Whether the next one may be applied: HAProxy has what it was told of. */
  const endCheck = async ({ outcome, of, attempt }: IdleCheck<T>): Promise<boolean> => {
    const found = await unlessStopped(outcome, signal);
    checking = undefined;
    if (found !== undefined) await note(found, of, attempt);
    return found === undefined || isTaken(found);
  };
  const checkIfDue = (): void => {
    if (unchecked === undefined) return;
    // One that was refused before is not left in place.
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
      // The end of the check wakes the loop.
      lookAgainAtMs = proposedUntilMs;
      continue;
    }
    if (checking !== undefined && !(await endCheck(checking))) continue;
    if (isRetry) parts.applier.retryRejected();
    const attempt = { startMs: parts.now(), isPart: laterMs > 0 };
    const outcome = await unlessStopped(parts.applier.apply(now.rendered, signal), signal);
    if (outcome === undefined) continue;
    await note(outcome, now, attempt);
    unchecked = isTaken(outcome) && isUnchecked(outcome) ? { of: now, attempt } : undefined;
    checkIfDue();
  }
  // The program that checks has ended.
  if (checking !== undefined) await unlessStopped(checking.outcome, signal);
}

/**
 * Until something wakes it, and then until `restUntilMs`: events that keep coming while a configuration is held back must not cost a
 * whole processor.
 */
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

function isTaken({ kind }: ApplyOutcome): boolean {
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
  // What HAProxy was told of may still be refused: each such try costs a reload back, so they count until one is accepted.
  if (isTaken(outcome))
    return isUnchecked(outcome) && failuresBefore > 0
      ? { rendered, failures: failuresBefore, retryAt: nowMs }
      : undefined;
  const failures = failuresBefore + 1;
  return { rendered, failures, retryAt: nowMs + retryPauseMs(failures, RETRY) };
}
