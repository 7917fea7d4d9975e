import { type Emit as EmitAction, logged } from '../../engine/supervise/step.ts';
import { type ChangeRequest, describeChange } from '../runtime/change.ts';
import type { ChangeOutcome } from '../runtime/execute.ts';
import { beginJob, beginReload, stopping } from './job.ts';
import { drainingOf } from './retire.ts';
import type { Action, Change, Event, RunningChange, Serving, State } from './state.ts';

type Emit = EmitAction<Action>;

/**
 * A request to move to another configuration without a reload. When its turn comes it is compared with the hash that is served by then: a
 * generation that was starting meanwhile has read the old file or the new one, and gets what it lacks.
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

/** What was compared may be out of date by now: it is repaired only where nothing else is to be done. */
export function drifted(state: State, change: ChangeRequest): State {
  const isBusy = state.job !== undefined || state.changing !== undefined || state.changes.length > 0;
  if (state.phase !== 'running' || isBusy) return state;
  return { ...state, changes: [{ ...change, cause: 'drift', requests: [] }] };
}

/** Begins what waits while nothing is under way: a reload first, since it brings most changes with it. */
export function nextChange(state: State, now: number, emit: Emit): State {
  const { phase, job, changing, queued, serving } = state;
  if (phase !== 'running' || job !== undefined || changing !== undefined) return state;
  if (queued.length > 0) return beginReload({ ...state, queued: [] }, queued, now, emit);
  const [change, ...changes] = state.changes;
  if (change === undefined) return state;
  const next = { ...state, changes };
  const served = serving?.config === 'live' ? serving.configSha256 : undefined;
  const isSaid = served === change.to || (served === change.from && change.changes.length === 0);
  if (serving !== undefined && isSaid && change.cause === 'request') {
    emit({ kind: 'answer', requests: change.requests, result: servedBy(serving, 0) });
    keepIfChecked(change, emit);
    if (served === change.to) return nextChange(next, now, emit);
    const renamed = { ...serving, configSha256: change.to };
    return nextChange({ ...next, serving: renamed, lastFailure: undefined }, now, emit);
  }
  if (serving === undefined || served !== change.from) {
    const reason = 'another configuration is served than the one that it changes';
    return reloadInstead(next, change, { reason }, now, emit);
  }
  emit({ kind: 'change', serving, draining: drainingOf(state), request: change });
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
  // Its generation died. The next one reads the file; if it read an older one, it gets the change.
  if (serving?.number !== number) return { ...next, changes: [changing, ...state.changes] };
  if (outcome.kind === 'refused') return reloadInstead(next, changing, outcome, now, emit);
  const served = servedBy(serving, now - changing.since);
  const { cause, changes, from, to } = changing;
  const fields = { ...served, cause, commands: outcome.commands, changes: changes.map(describeChange) };
  const isRepair = cause === 'drift';
  const event = isRepair ? 'drift-repaired' : 'configuration-changed';
  emit(logged(isRepair ? 'warn' : 'info', event, fields));
  const { commands } = outcome;
  emit({ kind: 'answer', requests: changing.requests, result: { ...served, commands } });
  if (from !== to) keepIfChecked(changing, emit);
  const { made, repaired, ...counts } = state.changeCounts;
  const changeCounts = { ...counts, made: made + Number(!isRepair), repaired: repaired + Number(isRepair) };
  return { ...next, serving: { ...serving, configSha256: to }, lastFailure: undefined, changeCounts };
}

/** A file that HAProxy would refuse must not replace one that it starts with. */
function keepIfChecked({ checked, to }: Change, emit: Emit): void {
  if (checked === true) emit({ kind: 'keep-last-good', configSha256: to });
}

function servedBy({ number, master }: Serving, tookMs: number) {
  return { generation: number, pid: master.pid, tookMs: Math.round(tookMs), atRunTime: true as const };
}

/**
 * A reload makes the change in any case, since the file already has it. A change made ahead of its file is only answered: HAProxy may have made
 * it in part, so what runs matches neither file, and only a reload can follow.
 */
function reloadInstead(
  state: State,
  change: Change | RunningChange,
  { kind, reason }: { readonly kind?: ChangeOutcome['kind']; readonly reason: string },
  now: number,
  emit: Emit,
): State {
  const { cause, requests, to, ahead = false } = change;
  const isRepeated = cause === 'drift' && state.reloadedForDrift === to;
  const fields = {
    cause,
    reason,
    reloads: !isRepeated && !ahead,
    changes: change.changes.map(describeChange),
  };
  // Drift is found every five seconds: log the first refusal, and the repair.
  if (!isRepeated || reason !== state.changeCounts.lastRefusal)
    emit(logged('warn', 'change-refused', fields));
  const { refused, ...counts } = state.changeCounts;
  const next = { ...state, changeCounts: { ...counts, refused: refused + 1, lastRefusal: reason } };
  if (isRepeated) return next;
  if (ahead) {
    const message = `Cannot change what runs: ${reason}`;
    const said = kind === 'refused' ? { refused: reason } : {};
    emit({ kind: 'answer', requests, result: { stage: 'change', message, ...said } });
    const { serving } = next;
    const isPartly = kind === 'refused' && serving !== undefined;
    return nextChange(isPartly ? { ...next, serving: { ...serving, configSha256: to } } : next, now, emit);
  }
  const reloading = cause === 'drift' ? { ...next, reloadedForDrift: to } : next;
  if (state.job !== undefined) return { ...reloading, queued: [...state.queued, ...requests] };
  const job = { cause, requests, config: 'live', refused: kind === 'refused' ? reason : undefined } as const;
  return beginJob(reloading, job, now, emit);
}
