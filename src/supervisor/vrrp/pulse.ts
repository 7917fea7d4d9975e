import type { Action, Event, Pulse, VrrpSupervisorState } from './state.ts';

/** Looks are at least 200 ms apart: 0.6 s, then a nudge, then 1.8 s more. */
const NUDGE_AFTER_LOOKS = 3;
const HUNG_AFTER_LOOKS = 12;

/**
 * A keepalived that shows no life is replaced: its VIP is still here, and a peer has long taken over. One that waits for
 * a processor is starved, not hung, and is left alone however long that takes. One that has nothing to do (FAULT, no
 * peers, no monitor) may sleep for ever; the nudge wakes it. Looks are counted, not time: a machine that was frozen, or a
 * supervisor that was starved itself, has not looked.
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
  const stillLooks = lives ? 0 : (before?.stillLooks ?? 0) + 1;
  const stillSince = lives || before === undefined ? now : before.stillSince;
  const hung = stillLooks >= HUNG_AFTER_LOOKS;
  const pulse: Pulse = { switches, stillSince, stillLooks, hung };
  if (hung) {
    const fields = { pid: id.pid, stopped, stillMs: Math.round(now - stillSince) };
    emit({ kind: 'log', level: 'error', event: 'keepalived-hung', fields });
    emit({ kind: 'kill', id });
  } else if (stillLooks > 0 && stillLooks % NUDGE_AFTER_LOOKS === 0) emit({ kind: 'nudge', id });
  return { ...state, daemon: { ...daemon, pulse } };
}
