import type { Emit as EmitAction } from '../supervise/step.ts';
import {
  type Deploy,
  type DeployAction,
  noBackoff,
  type Policy,
  type Reason,
  type SetVersion,
  type Version,
  type Work,
} from './deploy-state.ts';
import { revisionOf } from './set.ts';

type Emit<T> = EmitAction<DeployAction<T>>;

/** A check protects only the next start, and costs more than the runtime update that it follows. */
const CHECK_EVERY_MS = 10_000;

/** Starts the next action unless one is in progress. */
export function proceed<T>(state: Deploy<T>, nowMs: number, policy: Policy, emit: Emit<T>): Deploy<T> {
  const { desired, doing } = state;
  if (doing !== undefined) return state;
  if (state.refusals.length > 0) return proceed(restore(state, emit), nowMs, policy, emit);
  if (desired === undefined || nowMs < state.backoff.untilMs) return state;
  if (nowMs >= backoffUntil(state, desired)) return bringIntoEffect(state, desired, nowMs, policy, emit);
  if (state.mustReadDisk) return readDisk(state, desired, emit);
  return needsGood(state, desired) ? begin(state, { kind: 'restore', refusal: undefined }, emit) : state;
}

function begin<T>(state: Deploy<T>, work: Work<T>, emit: Emit<T>): Deploy<T> {
  emit(work);
  return { ...state, doing: work };
}

function readDisk<T>(state: Deploy<T>, desired: Version<T>, emit: Emit<T>): Deploy<T> {
  const readsRunning = state.running === undefined;
  const isFirst = state.onDisk === undefined;
  return begin(
    { ...state, mustReadDisk: false },
    { kind: 'read-disk', readsRunning, isFirst, desired },
    emit,
  );
}

/** Whether the last good file must be restored: the desired configuration was refused, and the file on disk neither runs nor is the last good one. */
function needsGood<T>({ good, onDisk, running, refused }: Deploy<T>, { revision }: Version<T>): boolean {
  const isUseful = onDisk?.revision === good || onDisk?.revision === running?.revision;
  return refused.has(revision) && good !== undefined && !isUseful;
}

/** The time before which nothing is attempted. */
function backoffUntil<T>({ backoff, refused }: Deploy<T>, { revision }: Version<T>): number {
  return Math.max(backoff.untilMs, refused.get(revision)?.untilMs ?? 0);
}

/** The time of the next `tick`. Undefined while an action runs, or if nothing is left to do. */
export function nextDeadline<T>(state: Deploy<T>, { check }: Pick<Policy, 'check'>): number | undefined {
  const { desired, doing, checkNotBeforeMs, reloadNotBeforeMs, running, onDisk, mustReadDisk } = state;
  if (desired === undefined || doing !== undefined) return undefined;
  const isOnDisk = onDisk?.revision === desired.revision;
  const isDone = isOnDisk && running?.revision === desired.revision && !mustReadDisk;
  // The end of the check is an event.
  if (!isDone && isOnDisk && isBeingChecked(state, desired)) return undefined;
  if (!isDone) return Math.max(backoffUntil(state, desired), isOnDisk ? reloadNotBeforeMs : 0);
  const isDue = check === 'when-idle' && !isChecking(state) && needsCheck(state, desired);
  return isDue ? Math.max(backoffUntil(state, desired), checkNotBeforeMs) : undefined;
}

/** Restores the last good file if a refused one is on disk, then reports the refusal. */
function restore<T>(state: Deploy<T>, emit: Emit<T>): Deploy<T> {
  const [refusal, ...refusals] = state.refusals;
  if (refusal === undefined) return state;
  const { version, rejection } = refusal;
  const next: Deploy<T> = { ...state, refusals };
  if (state.onDisk?.revision === version.revision && state.good !== version.revision)
    return begin(next, { kind: 'restore', refusal }, emit);
  emit({ kind: 'report', outcome: rejection, version });
  return next;
}

function bringIntoEffect<T>(
  state: Deploy<T>,
  desired: Version<T>,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  const { onDisk, running, refused } = state;
  if (onDisk === undefined) return readDisk(state, desired, emit);
  const isOnDisk = onDisk.revision === desired.revision;
  const isChecked = policy.check === 'before-write' || !onDisk.isOwn;
  const needsVerdict = refused.has(desired.revision) || (isChecked && !isOnDisk);
  const update = needsVerdict ? noUpdate : updateFor(running, desired, policy);
  // The supervisor compares revisions, so an update is safe before the disk is read.
  if (update.to !== undefined && running !== undefined) {
    const { to, changes, readsFiles } = update;
    return begin(state, { kind: 'update', from: running.revision, to, changes, readsFiles }, emit);
  }
  if (state.mustReadDisk) return readDisk(state, desired, emit);
  if (needsVerdict || !isOnDisk)
    return begin(state, { kind: 'write', version: desired, isChecked: needsVerdict }, emit);
  const isRunning = running?.revision === desired.revision;
  // A check is about to end, and a refused file must not be loaded.
  const isHeld = isBeingChecked(state, desired) || nowMs < state.reloadNotBeforeMs;
  const mustConfirm = policy.compare !== undefined && state.mustConfirm && (isRunning || isHeld);
  if (mustConfirm && running !== undefined) return confirm(state, running, emit);
  if (isRunning) return finish(state, desired, nowMs, policy, emit);
  if (isHeld) return hold(state, desired, nowMs, policy, emit);
  const done = { ...state.done, why: state.done.why ?? update.why };
  const next: Deploy<T> = { ...state, done, reloadNotBeforeMs: nowMs + policy.reloadEveryMs };
  return begin(next, { kind: 'reload', version: desired, notBeforeMs: state.reloadNotBeforeMs }, emit);
}

interface Update {
  readonly changes: readonly object[];
  readonly readsFiles: boolean;
  /** Undefined if there are no runtime changes. */
  readonly to?: SetVersion;
  /** Why a reload follows. */
  readonly why?: Reason | undefined;
}

const noUpdate: Update = { changes: [], readsFiles: false };

function updateFor<T>(running: SetVersion | undefined, desired: Version<T>, { compare }: Policy): Update {
  if (running === undefined || compare === undefined || running.revision === desired.revision)
    return noUpdate;
  const { changes, running: after, reload, readsFiles = false } = compare(running.set, desired.set);
  const [why] = reload;
  if (changes.length === 0) return why === undefined ? { ...noUpdate, to: desired } : { ...noUpdate, why };
  const to = after === desired.set ? desired : { revision: revisionOf(after), set: after };
  return to.revision === running.revision ? { ...noUpdate, why } : { changes, readsFiles, to, why };
}

/** Checks with an empty update that the changed configuration still runs. */
function confirm<T>(state: Deploy<T>, running: SetVersion, emit: Emit<T>): Deploy<T> {
  const nothing = { from: running.revision, to: running, changes: [], readsFiles: false } as const;
  return begin(state, { kind: 'update', ...nothing }, emit);
}

/** Reports the runtime changes, and validates the set while it waits for its reload. */
function hold<T>(
  state: Deploy<T>,
  desired: Version<T>,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  const { updated, ...done } = state.done;
  if (updated !== undefined) {
    const outcome = { kind: 'reloaded', atRunTime: true, ...updated } as const;
    emit({ kind: 'report', outcome, version: desired, isPart: true });
  }
  const isNew = state.check?.revision !== desired.revision;
  return checkIfDue(
    { ...state, done },
    desired,
    isNew || nowMs >= state.checkNotBeforeMs,
    nowMs,
    policy,
    emit,
  );
}

function finish<T>(
  state: Deploy<T>,
  desired: Version<T>,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  const { revision } = desired;
  const { updated, wrote } = state.done;
  let next = state;
  if (!state.isReported) {
    const isChange = updated !== undefined || wrote === true;
    const outcome = isChange ? ({ kind: 'reloaded', atRunTime: true, ...updated } as const) : unchanged;
    emit({ kind: 'report', outcome, version: desired, ...(state.valid === revision && { isValid: true }) });
    next = { ...next, isReported: true, done: {}, backoff: noBackoff };
  }
  return checkIfDue(next, desired, nowMs >= next.checkNotBeforeMs, nowMs, policy, emit);
}

/** Makes a valid version the last good one. */
export function keepAsGood<T>(state: Deploy<T>, version: SetVersion, emit: Emit<T>): Deploy<T> {
  if (state.good === version.revision) return state;
  emit({ kind: 'keep-as-good', version });
  return { ...state, good: version.revision };
}

const unchanged = { kind: 'unchanged' } as const;

const isChecking = <T>({ check }: Deploy<T>): boolean => check?.isOver === false;

function isBeingChecked<T>(state: Deploy<T>, { revision }: Version<T>): boolean {
  return isChecking(state) && state.check?.revision === revision;
}

function needsCheck<T>({ valid, refused }: Deploy<T>, { revision }: Version<T>): boolean {
  return valid !== revision && !refused.has(revision);
}

function checkIfDue<T>(
  state: Deploy<T>,
  version: Version<T>,
  isDue: boolean,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  if (policy.check !== 'when-idle' || !isDue || isChecking(state) || !needsCheck(state, version))
    return state;
  emit({ kind: 'check', version });
  const check = { revision: version.revision, isOver: false, validBefore: state.valid };
  return { ...state, check, checkNotBeforeMs: nowMs + CHECK_EVERY_MS };
}
