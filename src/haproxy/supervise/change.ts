import { type Emit as EmitAction, logged } from '../../engine/supervise/step.ts';
import { type ChangeRequest, describeChange } from '../runtime/change.ts';
import { beginJob, beginReload, stopping } from './job.ts';
import type { Action, Change, Event, RunningChange, Serving, State } from './state.ts';

type Emit = EmitAction<Action>;

/**
 * A request to move to another configuration without a reload. `from` is compared with the running revision when the request is processed: a
 * generation that was starting meanwhile has read either file.
 */
export function changeRequested(
  state: State,
  { request, change }: Extract<Event, { kind: 'change-requested' }>,
  emit: Emit,
): State {
  if (state.phase === 'running')
    return { ...state, changes: [...state.changes, { ...change, cause: 'request', requests: [request] }] };
  emit({ kind: 'answer', requests: [request], result: stopping });
  return state;
}

/** The comparison may be out of date by now, so drift is repaired only if nothing else is pending. */
export function drifted(state: State, change: ChangeRequest): State {
  const isBusy = state.job !== undefined || state.changing !== undefined || state.changes.length > 0;
  if (state.phase !== 'running' || isBusy) return state;
  return { ...state, changes: [{ ...change, cause: 'drift', requests: [] }] };
}

/** Starts a waiting request if no job is in progress. A reload comes first, because it includes most changes. */
export function nextChange(state: State, now: number, emit: Emit): State {
  const { phase, job, changing, queued, serving } = state;
  if (phase !== 'running' || job !== undefined || changing !== undefined) return state;
  if (queued.length > 0) return beginReload({ ...state, queued: [] }, queued, now, emit);
  const [change, ...changes] = state.changes;
  if (change === undefined) return state;
  const next = { ...state, changes };
  const running = serving?.config === 'live' ? serving.revision : undefined;
  const isRequest = change.cause === 'request';
  const isMade = isRequest && running === change.to;
  if (serving === undefined || (running !== change.from && !isMade)) {
    const message =
      'Cannot apply the change: the running configuration is not the one that the change starts from';
    emit({
      kind: 'answer',
      requests: change.requests,
      result: { stage: 'change', message, running: running ?? null },
    });
    // Proven by a check, but another configuration runs by now.
    if (isRequest && change.good === true) emit({ kind: 'keep-last-good', revision: change.to });
    return nextChange(next, now, emit);
  }
  if (isRequest && (isMade || change.changes.length === 0)) {
    emit({ kind: 'answer', requests: change.requests, result: servedBy(serving, 0) });
    if (change.good === true) emit({ kind: 'keep-last-good', revision: change.to });
    return nextChange(
      { ...next, serving: { ...serving, revision: change.to }, lastFailure: undefined },
      now,
      emit,
    );
  }
  emit({ kind: 'change', serving, request: change });
  return { ...next, changing: { ...change, number: serving.number, since: now } };
}

export function changed(
  state: State,
  { number, outcome }: Extract<Event, { kind: 'changed' }>,
  now: number,
  emit: Emit,
): State {
  const { changing, serving } = state;
  if (changing === undefined || changing.number !== number) return state;
  const next: State = { ...state, changing: undefined };
  // The generation died. The next one reads the file; if it read an older one, it gets the change.
  if (serving?.number !== number) return { ...next, changes: [changing, ...state.changes] };
  if (outcome.kind === 'refused') return refused(next, changing, serving, outcome.reason, now, emit);
  const served = servedBy(serving, now - changing.since);
  const { cause, changes, requests, to } = changing;
  const { commands } = outcome;
  const isRepair = cause === 'drift';
  const event = isRepair ? 'drift-repaired' : 'configuration-changed';
  const fields = { ...served, cause, commands, changes: changes.map(describeChange) };
  emit(logged(isRepair ? 'warn' : 'info', event, fields));
  emit({ kind: 'answer', requests, result: { ...served, commands } });
  const { made, repaired, ...counts } = state.changeCounts;
  const changeCounts = { ...counts, made: made + Number(!isRepair), repaired: repaired + Number(isRepair) };
  return { ...next, serving: { ...serving, revision: to }, lastFailure: undefined, changeCounts };
}

function servedBy({ number, master }: Serving, tookMs: number) {
  return { generation: number, pid: master.pid, tookMs: Math.round(tookMs), atRunTime: true as const };
}

/**
 * Part of the change may have been made, so the running state matches no file. The monitor decides about a reload, which also reverts manual changes.
 */
function refused(
  state: State,
  { cause, requests, to, changes }: Change | RunningChange,
  serving: Serving,
  reason: string,
  now: number,
  emit: Emit,
): State {
  const isRepeated = cause === 'drift' && state.reloadedForDrift === to;
  const reloads = cause === 'drift' && !isRepeated;
  // Drift is detected every five seconds. Only the first refusal and the repair are logged.
  if (!isRepeated || reason !== state.changeCounts.lastRefusal)
    emit(logged('warn', 'change-refused', { cause, reason, reloads, changes: changes.map(describeChange) }));
  const { refused: count, ...counts } = state.changeCounts;
  const next = { ...state, changeCounts: { ...counts, refused: count + 1, lastRefusal: reason } };
  if (isRepeated) return next;
  if (reloads) {
    const reloading = { ...next, reloadedForDrift: to };
    if (state.job !== undefined) return reloading;
    return beginJob(reloading, { cause: 'drift', requests: [], config: 'live' }, now, emit);
  }
  const message = `Cannot change the running configuration: ${reason}`;
  emit({ kind: 'answer', requests, result: { stage: 'change', message, refused: reason } });
  return { ...next, serving: { ...serving, revision: undefined } };
}
