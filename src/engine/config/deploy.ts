import { type Emit as EmitAction, type Step, stepOf } from '../supervise/step.ts';
import { backoffAfter, failuresOf } from './backoff.ts';
import { candidateWith, MAX_REMEMBERED, withCandidate } from './candidates.ts';
import type { CheckOutcome } from './check.ts';
import {
  type Deploy,
  type DeployAction,
  type DeployEvent,
  noBackoff,
  type Policy,
  type SetVersion,
  type Version,
  type Work,
} from './deploy-state.ts';
import { keepAsGood, proceed } from './next-action.ts';
import { type ApplyOutcome, REFUSED, type Rejection, type Reloaded, sumOf } from './outcome.ts';
import type { ReloadResult, UpdateResult } from './proxy.ts';
import type { Revision } from './set.ts';

type Emit<T> = EmitAction<DeployAction<T>>;

/**
 * Brings the desired configuration to the disk and to the program, in this order: send the runtime changes, write the file, and reload if something
 * needs it and the rate limit allows it. When idle, the deployer validates the file on disk. A refused configuration must pass a separate check
 * before it is written or loaded again. Until then the last good one is restored on disk, and the program keeps the configuration that it accepted.
 */
export function advance<T>(
  state: Deploy<T>,
  event: DeployEvent<T>,
  nowMs: number,
  policy: Policy,
): Step<Deploy<T>, DeployAction<T>> {
  return stepOf<Deploy<T>, DeployAction<T>>((emit) =>
    keepRunning(event, proceed(handle(state, event, nowMs, emit), nowMs, policy, emit), emit),
  );
}

/**
 * The version that runs and was accepted becomes the last good one, even if another one is desired by now. A copy that could not be restored is
 * not written again at once: the same fault would follow without a pause.
 */
function keepRunning<T>({ kind }: DeployEvent<T>, state: Deploy<T>, emit: Emit<T>): Deploy<T> {
  const { running, valid } = state;
  const isKept = kind !== 'restored' && running !== undefined && running.revision === valid;
  return isKept ? keepAsGood(state, running, emit) : state;
}

function handle<T>(state: Deploy<T>, event: DeployEvent<T>, nowMs: number, emit: Emit<T>): Deploy<T> {
  const { doing } = state;
  const idle: Deploy<T> = { ...state, doing: undefined };
  switch (event.kind) {
    case 'desired':
      return setDesired(state, event.version);
    case 'disk-read':
      return diskRead(idle, event);
    case 'updated':
      return doing?.kind === 'update' ? updated(idle, doing.to, event.result) : state;
    case 'written':
      return doing?.kind === 'write' ? written(idle, doing, event.result, nowMs, emit) : state;
    case 'reloaded':
      return doing?.kind === 'reload' ? reloaded(idle, doing, event.result, nowMs, emit) : state;
    case 'restored':
      return doing?.kind === 'restore' ? restored(idle, doing, event, emit) : state;
    case 'checked':
      return checked(state, event, nowMs, emit);
    case 'abandoned':
      return abandoned(idle, doing, event.message, emit);
    case 'failed':
      return failed({ ...idle, mustReadDisk: true }, { kind: 'failed', message: event.message }, nowMs, emit);
    case 'tick':
      return state;
  }
}

function setDesired<T>(state: Deploy<T>, desired: Version<T>): Deploy<T> {
  const isOther = state.desired?.revision !== desired.revision;
  const next = {
    ...state,
    desired,
    isReported: false,
    mustReadDisk: true,
    candidates: withCandidate(state, desired),
  };
  return isOther ? { ...next, backoff: noBackoff } : next;
}

function diskRead<T>(state: Deploy<T>, event: Extract<DeployEvent<T>, { kind: 'disk-read' }>): Deploy<T> {
  const { onDisk } = event;
  const isEdited = state.onDisk !== undefined && state.onDisk.revision !== onDisk.revision;
  const next: Deploy<T> = { ...state, onDisk };
  const hasGood = 'good' in event && event.good !== undefined;
  const good = hasGood ? { good: event.good } : {};
  const valid = hasGood && event.good === onDisk.revision ? { valid: event.good } : {};
  // The program may have loaded a manual edit.
  if (isEdited && !('running' in event)) return { ...next, running: undefined, mustReadDisk: true };
  if (!('running' in event)) return { ...next, ...good, ...valid };
  const running = candidateWith(next, event.running);
  // The answer to its update was lost, or the file was edited: a generation may have read it.
  const mustConfirm = running !== undefined && running.revision !== onDisk.revision;
  return { ...next, ...good, ...valid, running, mustConfirm };
}

function updated<T>(state: Deploy<T>, to: SetVersion, result: UpdateResult): Deploy<T> {
  switch (result.is) {
    case 'done': {
      if (state.running?.revision === to.revision) return { ...state, mustConfirm: false };
      const done = { ...state.done, updated: sumOf(state.done.updated, result.stats) };
      return { ...state, running: to, done, mustConfirm: state.onDisk?.revision !== to.revision };
    }
    case 'refused': {
      const { reason } = result;
      const why = reason === undefined ? undefined : { what: REFUSED, reason };
      return { ...state, running: undefined, done: { ...state.done, why } };
    }
    case 'conflict':
      return { ...state, running: candidateWith(state, result.running), mustConfirm: false };
    case 'silent':
      return { ...state, running: undefined, mustReadDisk: true };
  }
}

function written<T>(
  state: Deploy<T>,
  { version, isChecked }: Extract<Work<T>, { kind: 'write' }>,
  result: CheckOutcome,
  nowMs: number,
  emit: Emit<T>,
): Deploy<T> {
  const { revision } = version;
  switch (result.kind) {
    case 'valid': {
      const onDisk = { revision, isOwn: true };
      const next: Deploy<T> = { ...state, onDisk, done: { ...state.done, wrote: true } };
      if (!isChecked) return next;
      return { ...accepted(next, revision), retried: { revision, failures: failuresOf(state, revision) } };
    }
    case 'invalid':
      return refuse(state, version, { ...result, kind: 'rejected', by: 'check' }, nowMs);
    case 'impossible': {
      const kind = result.isUnreachable === true ? 'unreachable' : 'failed';
      return failed(state, { kind, message: result.message }, nowMs, emit);
    }
  }
}

function accepted<T>(state: Deploy<T>, valid: Revision): Deploy<T> {
  const refused = new Map(state.refused);
  refused.delete(valid);
  return { ...state, valid, refused };
}

function reloaded<T>(
  state: Deploy<T>,
  { version, notBeforeMs }: Extract<Work<T>, { kind: 'reload' }>,
  result: ReloadResult,
  nowMs: number,
  emit: Emit<T>,
): Deploy<T> {
  const { why } = state.done;
  const next: Deploy<T> = { ...state, done: {} };
  switch (result.is) {
    case 'done': {
      const outcome: Reloaded = { ...result.outcome, kind: 'reloaded', ...why };
      emit({ kind: 'report', outcome, version, isValid: true });
      const isReported = state.desired?.revision === version.revision;
      const current = { mustConfirm: false, running: version, isReported, backoff: noBackoff };
      return accepted({ ...next, ...current, retried: undefined }, version.revision);
    }
    case 'refused': {
      // A start that fails before it takes over the listeners closes no connection.
      const isFree = result.rejection.by === 'check';
      const refusedNow = refuse(next, version, result.rejection, nowMs);
      return isFree ? { ...refusedNow, reloadNotBeforeMs: notBeforeMs } : refusedNow;
    }
    case 'unchecked':
    case 'silent': {
      const kind = result.is === 'silent' ? 'unreachable' : 'failed';
      const unknown: Deploy<T> = {
        ...next,
        running: undefined,
        mustReadDisk: true,
        reloadNotBeforeMs: notBeforeMs,
      };
      return failed(unknown, { kind, message: result.message }, nowMs, emit);
    }
  }
}

/** Records a refusal. It is reported once the last good configuration is back on disk. */
function refuse<T>(state: Deploy<T>, version: Version<T>, rejection: Rejection, nowMs: number): Deploy<T> {
  const { revision } = version;
  const failures = failuresOf(state, revision);
  const others = [...state.refused].filter(([key]) => key !== revision).slice(1 - MAX_REMEMBERED);
  const refused = new Map([...others, [revision, backoffAfter(failures + 1, nowMs)] as const]);
  const valid = state.valid === revision ? undefined : state.valid;
  const isRunning = state.running?.revision === revision;
  const reported = isRunning ? { ...rejection, isRunning } : rejection;
  const refusals = [...state.refusals, { version, rejection: reported }];
  return { ...state, refused, valid, done: {}, refusals };
}

function failed<T>(
  state: Deploy<T>,
  outcome: Extract<ApplyOutcome, { kind: 'failed' | 'unreachable' }>,
  nowMs: number,
  emit: Emit<T>,
): Deploy<T> {
  const { desired, running, backoff } = state;
  const isRunning = outcome.kind === 'failed' && running?.revision === desired?.revision;
  const inMemoryOnly = isRunning && state.onDisk?.revision !== running?.revision;
  const message = `${outcome.message}; applied at runtime only, lost when the program restarts`;
  if (desired !== undefined)
    emit({
      kind: 'report',
      version: desired,
      outcome: inMemoryOnly ? { kind: 'failed', message, inMemoryOnly } : outcome,
    });
  return { ...state, backoff: backoffAfter(backoff.failures + 1, nowMs) };
}

function restored<T>(
  state: Deploy<T>,
  { refusal }: Extract<Work<T>, { kind: 'restore' }>,
  { revision, lost }: Extract<DeployEvent<T>, { kind: 'restored' }>,
  emit: Emit<T>,
): Deploy<T> {
  if (refusal !== undefined) {
    const { version, rejection } = refusal;
    const detail = lost === undefined ? rejection.detail : `${rejection.detail}\n${lost}`.trim();
    emit({ kind: 'report', version, outcome: { ...rejection, detail } });
  }
  const next: Deploy<T> = { ...state, good: revision };
  return revision === undefined ? next : { ...next, onDisk: { revision, isOwn: true } };
}

function checked<T>(
  state: Deploy<T>,
  { version, outcome }: Extract<DeployEvent<T>, { kind: 'checked' }>,
  nowMs: number,
  emit: Emit<T>,
): Deploy<T> {
  const next: Deploy<T> = { ...state, check: { revision: version.revision, isOver: true } };
  switch (outcome.kind) {
    case 'valid':
      emit({ kind: 'report', outcome: { kind: 'unchanged' }, version, isValid: true, isCheck: true });
      // The program has accepted a newer version since the check began.
      if (state.valid !== undefined && state.valid !== state.check?.validBefore) return next;
      // Even if another version is desired by now: on a busy router no check ends before the next change.
      return keepAsGood(accepted(next, version.revision), version, emit);
    case 'invalid':
      return refuse(next, version, { ...outcome, kind: 'rejected', by: 'check' }, nowMs);
    case 'impossible':
      emit({ kind: 'report', outcome: { kind: 'failed', message: outcome.message }, version, isCheck: true });
      return next;
  }
}

function abandoned<T>(
  state: Deploy<T>,
  doing: Work<T> | undefined,
  message: string,
  emit: Emit<T>,
): Deploy<T> {
  const { desired } = state;
  if (desired !== undefined)
    emit({ kind: 'report', outcome: { kind: 'superseded', message }, version: desired });
  const mayRun = doing?.kind === 'update' || doing?.kind === 'reload';
  const running = mayRun ? undefined : state.running;
  return { ...state, running, desired: undefined, mustReadDisk: true, done: {} };
}
