import { type ApplyOutcome, isUnchecked } from '../apply/apply-outcome.ts';
import type { Difference } from '../apply/bring-into-service.ts';
import { isSameSet, type Rendered } from '../apply/file-set.ts';
import type { Proposed } from './proposal.ts';
import { reloadStartMs, reloadWaitMs } from './reload-limit.ts';

/** What of a configuration may be applied now. */
interface Turn<T> {
  /** All of it, or a whole configuration that is a part of the way to it. Undefined where all of it has to wait. */
  readonly now: Proposed<T> | undefined;
  /** How long the rest has to wait: 0 where nothing has to. */
  readonly laterMs: number;
}

interface ReloadPaceParts<T> {
  readonly intervalMs: number;
  /** Monotonic. */
  readonly nowMs: () => number;
  /** What HAProxy is to be told, where it can be told. Nothing is known of what runs where the first one is undefined. */
  readonly difference: (served: Rendered | undefined, wanted: Rendered) => Pick<Difference, 'kind'>;
  /**
   * A whole configuration between the two: the served one with those changes of the wanted one that HAProxy can be told while it runs. Undefined
   * where there are none. Left out: a configuration is held back as a whole.
   */
  readonly partly?: (served: Proposed<T>, wanted: Proposed<T>) => Promise<Proposed<T> | undefined>;
  /**
   * The same with a bounded number of changes, so that no one waits long behind the changes of others. Undefined where there are few. Left out: all changes
   * are made at once.
   */
  readonly smallerStep?: (served: Proposed<T>, wanted: Proposed<T>) => Promise<Proposed<T> | undefined>;
}

/** Decides when a configuration is applied, so that HAProxy is not reloaded too often. */
export interface ReloadPace<T> {
  readonly turn: (wanted: Proposed<T>) => Promise<Turn<T>>;
  /** What became of one that was applied. */
  readonly note: (outcome: ApplyOutcome, applied: Proposed<T>, attempt: Attempt) => void;
  /** A configuration was served once: what HAProxy has now is it, or a later one. */
  readonly hasServed: () => boolean;
}

/** What follows a part at once: the rest of one that was refused, or the next step. */
const AFTER_PART_MS = 1;

export interface Attempt {
  /** When it was begun, in monotonic milliseconds. */
  readonly startMs: number;
  /** The rest of the wanted configuration has to wait. */
  readonly isPart: boolean;
  /** Of what HAProxy was told before: its file was checked. */
  readonly isCheck?: true;
}

/**
 * At most one reload starts in `intervalMs`, the first one at once. What HAProxy can be told while it runs does not wait, and neither does what
 * is served already: of a configuration that has to wait, the part that HAProxy can be told is applied at once.
 *
 * Where HAProxy would not be told of a part and was reloaded instead, no other part is applied before the rest is served: each one could put the
 * rest off by another interval. While all of it is refused, by HAProxy's check or by its start, the part is applied before each further attempt.
 */
export function createReloadPace<T>(parts: ReloadPaceParts<T>): ReloadPace<T> {
  const { intervalMs, nowMs, difference } = parts;
  let lastStartMs: number | undefined;
  let served: Proposed<T> | undefined;
  /** The last one whose file was checked: HAProxy has it again after it was told of one that it refuses to start with. */
  let checked: Proposed<T> | undefined;
  let hasServed = false;
  let isPartTold = true;
  let wasRefused = false;
  const isServed = (rendered: Rendered): boolean =>
    served !== undefined && isSameSet(rendered, served.rendered);
  const partOf = async (wanted: Proposed<T>): Promise<Proposed<T> | undefined> => {
    if (served === undefined || !isPartTold) return undefined;
    const part = await parts.partly?.(served, wanted);
    const isTold = part !== undefined && difference(served.rendered, part.rendered).kind === 'runtime';
    return isTold ? part : undefined;
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
      const isTold = step && difference(served?.rendered, step.rendered).kind === 'runtime';
      return isTold ? { now: step, laterMs: AFTER_PART_MS } : { now, laterMs };
    },
    note: (outcome, applied, { startMs, isPart }) => {
      const isTaken = outcome.kind === 'reloaded' || outcome.kind === 'unchanged';
      const startedMs = reloadStartMs(outcome, startMs, nowMs());
      served = isTaken ? applied : servedAfter(outcome, { applied, served, checked });
      if (isTaken && !isUnchecked(outcome)) checked = applied;
      hasServed ||= isTaken;
      lastStartMs = startedMs ?? lastStartMs;
      if (isPart ? startedMs !== undefined : isTaken) isPartTold = !isPart;
      if (!isPart) wasRefused = outcome.kind === 'rejected';
    },
    hasServed: () => hasServed,
  };
}

/**
 * What HAProxy has after one that it did not take. A refusal before it was told of anything leaves it as it was, and so does a failure: a check
 * that could not be made, a full disk. Where that is wrong, the supervisor knows better by the hash, and reloads.
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
      return outcome.isTold === true ? applied : served;
    default:
      return undefined;
  }
}
