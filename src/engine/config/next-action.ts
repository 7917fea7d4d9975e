import type { Emit as EmitAction } from '../supervise/step.ts';
import {
  type Deploy,
  type DeployAction,
  type Known,
  noBackoff,
  type Policy,
  type Reason,
  type Version,
  type Work,
} from './deploy-state.ts';
import { revisionOf } from './set.ts';

type Emit<T> = EmitAction<DeployAction<T>>;

/** A check protects only the next start, and costs more than the runtime update that it follows. */
const CHECK_EVERY_MS = 10_000;

/** Starts the next action, if none is in progress. */
export function proceed<T>(state: Deploy<T>, nowMs: number, policy: Policy, emit: Emit<T>): Deploy<T> {
  const { wanted, doing } = state;
  if (doing !== undefined) return state;
  if (state.refusals.length > 0) return proceed(restore(state, emit), nowMs, policy, emit);
  if (wanted === undefined || nowMs < state.backoff.untilMs) return state;
  if (nowMs >= backoffUntil(state, wanted)) return bring(state, wanted, nowMs, policy, emit);
  if (state.mustReadDisk) return readDisk(state, wanted, emit);
  return needsGood(state, wanted) ? begin(state, { kind: 'restore', refusal: undefined }, emit) : state;
}

function begin<T>(state: Deploy<T>, work: Work<T>, emit: Emit<T>): Deploy<T> {
  emit(work);
  return { ...state, doing: work };
}

function readDisk<T>(state: Deploy<T>, wanted: Version<T>, emit: Emit<T>): Deploy<T> {
  const asksRunning = state.running === undefined;
  const isFirst = state.onDisk === undefined;
  return begin({ ...state, mustReadDisk: false }, { kind: 'read-disk', asksRunning, isFirst, wanted }, emit);
}

/** The wanted configuration was refused, and the file on disk neither runs nor is the last good one. */
function needsGood<T>({ good, onDisk, running, refused }: Deploy<T>, { revision }: Version<T>): boolean {
  const isUseful = onDisk?.revision === good || onDisk?.revision === running?.revision;
  return refused.has(revision) && good !== undefined && !isUseful;
}

/** Until when nothing is tried. */
function backoffUntil<T>({ backoff, refused }: Deploy<T>, { revision }: Version<T>): number {
  return Math.max(backoff.untilMs, refused.get(revision)?.untilMs ?? 0);
}

/** When the next `tick` is due. Undefined while an action is under way, or nothing is left to do. */
export function nextDeadline<T>(state: Deploy<T>, { check }: Pick<Policy, 'check'>): number | undefined {
  const { wanted, doing, checkNotBeforeMs, reloadNotBeforeMs, running, onDisk } = state;
  if (wanted === undefined || doing !== undefined) return undefined;
  const isThere = onDisk?.revision === wanted.revision;
  const isDone = isThere && running?.revision === wanted.revision;
  // Its end is an event.
  if (!isDone && isThere && isBeingChecked(state, wanted)) return undefined;
  if (!isDone) return Math.max(backoffUntil(state, wanted), isThere ? reloadNotBeforeMs : 0);
  const isDue = check === 'when-idle' && !isChecking(state) && needsCheck(state, wanted);
  return isDue ? Math.max(backoffUntil(state, wanted), checkNotBeforeMs) : undefined;
}

/** A refused file is removed from disk, then reported. */
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

function bring<T>(
  state: Deploy<T>,
  wanted: Version<T>,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  const { onDisk, running, refused } = state;
  if (onDisk === undefined) return readDisk(state, wanted, emit);
  const isThere = onDisk.revision === wanted.revision;
  const isChecked = policy.check === 'before-write' || !onDisk.isOwn;
  const needsVerdict = refused.has(wanted.revision) || (isChecked && !isThere);
  const update = needsVerdict ? noUpdate : updateFor(running, wanted, policy);
  // The supervisor compares revisions, so this is safe before the disk is read.
  if (update.to !== undefined && running !== undefined) {
    const { to, changes, readsFiles } = update;
    return begin(state, { kind: 'update', from: running.revision, to, changes, readsFiles }, emit);
  }
  if (state.mustReadDisk) return readDisk(state, wanted, emit);
  if (needsVerdict || !isThere)
    return begin(state, { kind: 'write', version: wanted, isChecked: needsVerdict }, emit);
  const isRunning = running?.revision === wanted.revision;
  // The verdict is near, and a refused file is not loaded.
  const isHeld = isBeingChecked(state, wanted) || nowMs < state.reloadNotBeforeMs;
  const mustConfirm = state.mustConfirm && (isRunning || isHeld);
  if (mustConfirm && running !== undefined) return confirm(state, running, emit);
  if (isRunning) return finish(state, wanted, nowMs, policy, emit);
  if (isHeld) return hold(state, wanted, nowMs, policy, emit);
  const done = { ...state.done, why: state.done.why ?? update.why };
  const next: Deploy<T> = { ...state, done, reloadNotBeforeMs: nowMs + policy.reloadEveryMs };
  return begin(next, { kind: 'reload', version: wanted, notBeforeMs: state.reloadNotBeforeMs }, emit);
}

interface Update {
  readonly changes: readonly object[];
  readonly readsFiles: boolean;
  /** Undefined if there are no runtime changes. */
  readonly to?: Known;
  /** Why a reload follows. */
  readonly why?: Reason | undefined;
}

const noUpdate: Update = { changes: [], readsFiles: false };

function updateFor<T>(running: Known | undefined, wanted: Version<T>, { compare }: Policy): Update {
  if (running === undefined || compare === undefined || running.revision === wanted.revision) return noUpdate;
  const { changes, running: after, reload, readsFiles = false } = compare(running.set, wanted.set);
  const [why] = reload;
  if (changes.length === 0) return why === undefined ? { ...noUpdate, to: wanted } : { ...noUpdate, why };
  const to = after === wanted.set ? wanted : { revision: revisionOf(after), set: after };
  return to.revision === running.revision ? { ...noUpdate, why } : { changes, readsFiles, to, why };
}

/** Asks whether the changed configuration still runs. */
function confirm<T>(state: Deploy<T>, running: Known, emit: Emit<T>): Deploy<T> {
  const nothing = { from: running.revision, to: running, changes: [], readsFiles: false } as const;
  return begin(state, { kind: 'update', ...nothing }, emit);
}

/** Runtime changes are reported; a set that waits for its reload is validated meanwhile. */
function hold<T>(
  state: Deploy<T>,
  wanted: Version<T>,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  const { updated, ...done } = state.done;
  if (updated !== undefined) {
    const outcome = { kind: 'reloaded', atRunTime: true, ...updated } as const;
    emit({ kind: 'report', outcome, version: wanted, isPart: true });
  }
  const isNew = state.check?.revision !== wanted.revision;
  return checkIfDue(
    { ...state, done },
    wanted,
    isNew || nowMs >= state.checkNotBeforeMs,
    nowMs,
    policy,
    emit,
  );
}

function finish<T>(
  state: Deploy<T>,
  wanted: Version<T>,
  nowMs: number,
  policy: Policy,
  emit: Emit<T>,
): Deploy<T> {
  const { revision } = wanted;
  const { updated, wrote } = state.done;
  let next = state;
  if (!state.isReported) {
    const isChange = updated !== undefined || wrote === true;
    const outcome = isChange ? ({ kind: 'reloaded', atRunTime: true, ...updated } as const) : unchanged;
    emit({ kind: 'report', outcome, version: wanted, ...(state.valid === revision && { isValid: true }) });
    next = { ...next, isReported: true, done: {}, backoff: noBackoff };
  }
  if (next.valid === revision && next.good !== revision) {
    emit({ kind: 'keep-as-good', version: wanted });
    next = { ...next, good: revision };
  }
  return checkIfDue(next, wanted, nowMs >= next.checkNotBeforeMs, nowMs, policy, emit);
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
  const check = { revision: version.revision, isOver: false };
  return { ...state, check, checkNotBeforeMs: nowMs + CHECK_EVERY_MS };
}
