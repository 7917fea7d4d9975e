import { type ApplyOutcome, isUnchecked } from '../apply/apply-outcome.ts';
import type { Difference } from '../apply/bring-into-service.ts';
import { isSameSet, type Rendered } from '../apply/file-set.ts';
import type { Proposed } from './proposal.ts';
import { reloadStartMs, reloadWaitMs } from './reload-limit.ts';

/** The part of a configuration that may be applied now. */
interface Turn<T> {
  /** All of it, or a complete intermediate configuration. Undefined if all of it has to wait. */
  readonly now: Proposed<T> | undefined;
  /** How long the rest has to wait; 0 if nothing has to. */
  readonly laterMs: number;
}

interface ReloadPaceParts<T> {
  readonly intervalMs: number;
  /** Monotonic. */
  readonly nowMs: () => number;
  /** The runtime update between two configurations. `served` is undefined if the running state is unknown. */
  readonly difference: (served: Rendered | undefined, wanted: Rendered) => Pick<Difference, 'kind'>;
  /**
   * An intermediate configuration: the served one plus those changes of the wanted one that are runtime updates. Resolves with undefined if there
   * are none. Undefined: a configuration is held back as a whole.
   */
  readonly partly?: (served: Proposed<T>, wanted: Proposed<T>) => Promise<Proposed<T> | undefined>;
  /**
   * An intermediate configuration with a bounded number of changes, so that nobody waits long behind the changes of others. Resolves with
   * undefined if there are few. Undefined: all changes are made at once.
   */
  readonly smallerStep?: (served: Proposed<T>, wanted: Proposed<T>) => Promise<Proposed<T> | undefined>;
}

/** Decides when a configuration is applied, so that HAProxy is not reloaded too often. */
export interface ReloadPace<T> {
  readonly turn: (wanted: Proposed<T>) => Promise<Turn<T>>;
  /** Records the outcome of one that was applied. */
  readonly note: (outcome: ApplyOutcome, applied: Proposed<T>, attempt: Attempt) => void;
  /** A configuration was served at least once: HAProxy runs that or a later one. */
  readonly hasServed: () => boolean;
}

/** Delay before what follows an intermediate configuration: the rest of a refused one, or the next step. */
const AFTER_PART_MS = 1;

export interface Attempt {
  /** When it began, in monotonic milliseconds. */
  readonly startMs: number;
  /** The rest of the wanted configuration has to wait. */
  readonly isPart: boolean;
  /** The validation of an earlier runtime update. */
  readonly isCheck?: true;
}

/**
 * At most one reload starts per `intervalMs`, the first one at once. Runtime updates, and what is served already, do not wait. Of a configuration
 * that has to wait, the runtime updates are applied at once.
 * If HAProxy refused an intermediate configuration at runtime and was reloaded instead, no other one is applied before the rest is served: each
 * could delay the rest by another interval. While the whole configuration is refused, by validation or by the start, the intermediate one is
 * applied before each further attempt.
 */
export function createReloadPace<T>(parts: ReloadPaceParts<T>): ReloadPace<T> {
  const { intervalMs, nowMs, difference } = parts;
  let lastStartMs: number | undefined;
  let served: Proposed<T> | undefined;
  /** The last validated one: HAProxy is reloaded with it if a runtime update turns out to be invalid. */
  let checked: Proposed<T> | undefined;
  let hasServed = false;
  let mayApplyPart = true;
  let wasRefused = false;
  const isServed = (rendered: Rendered): boolean =>
    served !== undefined && isSameSet(rendered, served.rendered);
  const partOf = async (wanted: Proposed<T>): Promise<Proposed<T> | undefined> => {
    if (served === undefined || !mayApplyPart) return undefined;
    const part = await parts.partly?.(served, wanted);
    const isRuntime = part !== undefined && difference(served.rendered, part.rendered).kind === 'runtime';
    return isRuntime ? part : undefined;
  };
  const wholeTurn = async (wanted: Proposed<T>): Promise<Turn<T>> => {
    const all = { now: wanted, laterMs: 0 };
    const waitMs = isServed(wanted.rendered) ? 0 : reloadWaitMs(lastStartMs, intervalMs, nowMs());
    if (waitMs === 0 && !wasRefused) return all;
    if (difference(served?.rendered, wanted.rendered).kind !== 'reload') return all;
    const part = await partOf(wanted);
    if (waitMs > 0) return { now: part, laterMs: waitMs };
    return part === undefined ? all : { now: part, laterMs: AFTER_PART_MS };
  };
  return {
    turn: async (wanted) => {
      const { now, laterMs } = await wholeTurn(wanted);
      const step = served && now && (await parts.smallerStep?.(served, now));
      const isRuntime = step && difference(served?.rendered, step.rendered).kind === 'runtime';
      return isRuntime ? { now: step, laterMs: AFTER_PART_MS } : { now, laterMs };
    },
    note: (outcome, applied, { startMs, isPart }) => {
      const isAccepted = outcome.kind === 'reloaded' || outcome.kind === 'unchanged';
      const startedMs = reloadStartMs(outcome, startMs, nowMs());
      served = isAccepted ? applied : servedAfter(outcome, { applied, served, checked });
      if (isAccepted && !isUnchecked(outcome)) checked = applied;
      hasServed ||= isAccepted;
      lastStartMs = startedMs ?? lastStartMs;
      if (isPart ? startedMs !== undefined : isAccepted) mayApplyPart = !isPart;
      if (!isPart) wasRefused = outcome.kind === 'rejected';
    },
    hasServed: () => hasServed,
  };
}

/**
 * What HAProxy serves after an attempt that failed. A refusal before a runtime update changes nothing, and neither does a failure such as a
 * validation that could not run or a full disk. If that is wrong, the supervisor notices by the hash and reloads.
 */
function servedAfter<T>(
  outcome: ApplyOutcome,
  { applied, served, checked }: Readonly<Record<'applied' | 'served' | 'checked', Proposed<T> | undefined>>,
): Proposed<T> | undefined {
  switch (outcome.kind) {
    case 'rejected':
      if (outcome.back === undefined) return served;
      return outcome.back.kind === 'reloaded' ? checked : undefined;
    case 'failed':
      return outcome.inMemoryOnly === true ? applied : served;
    default:
      return undefined;
  }
}
