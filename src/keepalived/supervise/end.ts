import { afterDeath, noRestart } from '../../engine/supervise/restart.ts';
import { type Emit as EmitAction, type Failure, logged } from '../../engine/supervise/step.ts';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import { forgetInstances } from './instances.ts';
import { endJob, goBack, jobFailed, proceed } from './job.ts';
import type { Action, Daemon, EventOf, VrrpSupervisorState } from './state.ts';

type State = VrrpSupervisorState;
type Emit = EmitAction<Action>;

/**
 * keepalived 2.2 ends within 1.1 s of SIGTERM, one second of which is a fixed wait. On a starved node it takes longer. Even if it hangs,
 * everything up to the removal of its VIPs takes at most 3 s.
 */
const STOP_PATIENCE_MS = 2_200;
const SWEEP_RETRY_MS = 500;

export const stoppingFailure: Failure = {
  stage: 'stop',
  message: 'Cannot handle the request: keepalived is stopping',
};

/**
 * Stops keepalived gracefully: it sends adverts with priority 0 and removes its addresses. All further steps follow its exit.
 */
export function endDaemon(state: State, now: number, emit: Emit): State {
  const requests = [...(state.job?.requests ?? []), ...state.queued];
  emit({ kind: 'answer', requests, result: stoppingFailure });
  const next: State = {
    ...endJob({ ...state, queued: [] }, now, emit),
    restart: noRestart,
    deadly: undefined,
  };
  const { daemon } = next;
  if (daemon.kind === 'starting' || daemon.kind === 'up') {
    emit({ kind: 'terminate', id: daemon.id });
    return {
      ...next,
      daemon: { kind: 'leaving', id: daemon.id, killAt: now + STOP_PATIENCE_MS, killed: false },
    };
  }
  if (daemon.kind === 'dead')
    return sweepWhenDue({ ...next, daemon: { ...daemon, sweepAt: now } }, now, emit);
  if (daemon.kind === 'none') {
    emit({ kind: 'answer', requests: next.stopping, result: {} });
    return { ...next, stopping: [] };
  }
  return next;
}

export function exited(state: State, id: ProcessId, how: string, now: number, emit: Emit): State {
  const { daemon, job } = state;
  if (daemon.kind === 'none' || daemon.kind === 'dead' || daemon.id !== id) return state;
  emit({ kind: 'reap' });
  if (daemon.kind === 'leaving') {
    emit(logged('info', 'keepalived-gone', { pid: id.pid, how }));
    return { ...forgetInstances(state, now, 'keepalived was stopped', emit), daemon: deadAt(now) };
  }
  const ranMs = Math.round(now - daemon.since);
  // An address that a dead keepalived left still serves, so it stays until a peer has taken over. If keepalived hung, a peer has taken
  // over already.
  const hung = daemon.kind === 'up' && daemon.pulse?.hung === true;
  const held = state.instances.filter(({ state: it }) => it === 'MASTER').map(({ name }) => name);
  const graceMs = Math.max(
    0,
    ...(state.configuration?.instances ?? [])
      .filter(({ name }) => !hung && held.includes(name))
      .map(({ masterDownMs }) => masterDownMs),
  );
  emit(logged('error', 'keepalived-died', { pid: id.pid, how, ranMs, held, graceMs }));
  const dead: State = {
    ...forgetInstances(state, now, `keepalived ended with ${howWords(how)}`, emit),
    daemon: deadAt(now + graceMs),
    restart: afterDeath(state.restart, ranMs, now),
  };
  if (job?.stage !== 'starting' && job?.stage !== 'reloading') return dead;
  const message = `Cannot run keepalived: it ended with ${how}, expected it to keep running`;
  return jobFailed(goBack(dead, now, emit), { stage: 'start', message }, now, emit);
}

/** keepalived exits with 0 both after a SIGTERM from another program and after the death of its VRRP process. */
function howWords(how: string): string {
  return how === 'exit code 0' ? `${how}, as after SIGTERM or the end of its VRRP process` : how;
}

function deadAt(sweepAt: number): Daemon {
  return { kind: 'dead', stage: 'reaping', sweepAt };
}

export function reaped(state: State, now: number, emit: Emit): State {
  if (state.daemon.kind !== 'dead' || state.daemon.stage !== 'reaping') return state;
  return sweepWhenDue({ ...state, daemon: { ...state.daemon, stage: 'waiting' } }, now, emit);
}

export function sweepWhenDue(state: State, now: number, emit: Emit): State {
  const { daemon } = state;
  if (daemon.kind !== 'dead' || daemon.stage !== 'waiting' || now < daemon.sweepAt) return state;
  emit({ kind: 'sweep' });
  return { ...state, daemon: { ...daemon, stage: 'sweeping' } };
}

export function swept(state: State, event: EventOf<'swept'>, now: number, emit: Emit): State {
  const { daemon } = state;
  if (daemon.kind !== 'dead' || daemon.stage !== 'sweeping') return state;
  const { removed, trouble } = event;
  if (removed.length > 0)
    emit(logged('warn', 'stale-vip-removed', { removed, reason: 'no instance on this node holds it' }));
  if (trouble !== undefined) {
    if (trouble !== daemon.trouble) emit(logged('error', 'stale-vip-not-removed', { trouble }));
    // A VIP that cannot be removed delays the next start, but not the answer to a stop.
    if (state.phase === 'running') {
      const message = `keepalived has ended, but its VIPs are still on this node: ${trouble}`;
      emit({ kind: 'answer', requests: state.stopping, result: { stage: 'stop', message } });
      const retry: Daemon = { kind: 'dead', stage: 'waiting', sweepAt: now + SWEEP_RETRY_MS, trouble };
      return { ...state, stopping: [], daemon: retry };
    }
  }
  emit({ kind: 'answer', requests: state.stopping, result: {} });
  const next: State = { ...state, daemon: { kind: 'none' }, stopping: [] };
  return next.job?.stage === 'pending' ? proceed(next, emit) : next;
}

export function kill(state: State, daemon: Extract<Daemon, { kind: 'leaving' }>, emit: Emit): State {
  emit({ kind: 'kill', id: daemon.id });
  return { ...state, daemon: { ...daemon, killed: true } };
}

/** Logs a kill unless keepalived had already ended. */
export function logKilled({ daemon }: State, id: ProcessId, emit: Emit): void {
  if (daemon.kind !== 'leaving' || daemon.id !== id) return;
  emit(logged('error', 'keepalived-killed', { pid: id.pid }));
}
