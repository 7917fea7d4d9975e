import { beat } from '../../engine/supervise/pulse.ts';
import { logged } from '../../engine/supervise/step.ts';
import type { Action, Event, VrrpSupervisorState } from './state.ts';

/** Looks are at least 200 ms apart: 0.6 s, then a nudge, then 1.8 s more. */
const NUDGE_AFTER_LOOKS = 3;
const HUNG_AFTER_LOOKS = 12;

/**
 * Replaces a keepalived that shows no life: its VIP is still here, while a peer has taken over long ago. A keepalived
 * without work (FAULT, no peers, no monitor) may sleep without limit; a nudge wakes it.
 */
export function looked(
  state: VrrpSupervisorState,
  { id, vitals }: Extract<Event, { kind: 'looked' }>,
  now: number,
  emit: (action: Action) => void,
): VrrpSupervisorState {
  const { daemon } = state;
  if (daemon.kind !== 'up' || daemon.id !== id || daemon.pulse?.hung === true) return state;
  const before = daemon.pulse;
  const { switches, starved, stopped } = vitals;
  const lives = !stopped && (starved || switches !== before?.switches);
  const pulse = { ...beat(before, lives, HUNG_AFTER_LOOKS, now), switches };
  const { hung, stillLooks, stillSince } = pulse;
  if (hung) {
    const fields = { pid: id.pid, stopped, stillMs: Math.round(now - stillSince) };
    emit(logged('error', 'keepalived-hung', fields));
    emit({ kind: 'kill', id });
  } else if (stillLooks > 0 && stillLooks % NUDGE_AFTER_LOOKS === 0) emit({ kind: 'nudge', id });
  return { ...state, daemon: { ...daemon, pulse } };
}
