import { logged } from '../../engine/supervise/step.ts';
import type { InstanceState } from '../vip-presence.ts';
import type { SelfReport } from '../vrrp-program.ts';
import type { Action, EventOf, VrrpSupervisorState } from './state.ts';
import { type Why, whyNotified, whyReported } from './why.ts';

type State = VrrpSupervisorState;
type Emit = (action: Action) => void;

/** Applies a line of the notify FIFO. */
export function notified(state: State, event: EventOf<'notified'>, now: number, emit: Emit): State {
  const { instance, priority, trackValue } = event;
  const to = event.state ?? state.instances.find(({ name }) => name === instance)?.state;
  if (to === undefined) return state;
  const why = whyNotified(state, { instance, to, trackValue }, now);
  const next = { ...state, notifiedAt: new Map(state.notifiedAt).set(instance, now) };
  return moveTo(next, { name: instance, state: to, priority }, why, now, emit);
}

/**
 * Applies the states in keepalived's dump. Lines of the FIFO may have been lost, or there is no FIFO. A line read since the dump was
 * requested may be newer than the dump, so it takes precedence.
 */
export function reported(
  state: State,
  { report, askedAt }: EventOf<'reported'>,
  now: number,
  emit: Emit,
): State {
  const names = new Set(report.map(({ name }) => name));
  const kept: State = {
    ...state,
    instances: state.instances.filter(({ name }) => names.has(name)),
    notifiedAt: new Map([...state.notifiedAt].filter(([name]) => names.has(name))),
  };
  const isCurrent = ({ name }: SelfReport[number]): boolean => (kept.notifiedAt.get(name) ?? 0) <= askedAt;
  const moved = (next: State, each: SelfReport[number]): State =>
    moveTo(next, each, whyReported(state, each.state), now, emit);
  return report.filter(isCurrent).reduce(moved, kept);
}

/** Moves every instance to STOP once keepalived has ended, so that readers of the state file learn at once that this node holds no VIP. */
export function forgetInstances(state: State, now: number, reason: string, emit: Emit): State {
  return state.instances.reduce(
    (next, { name, priority }) =>
      moveTo(next, { name, state: 'STOP', priority }, { cause: 'gone', reason }, now, emit),
    state,
  );
}

function moveTo(
  state: State,
  to: SelfReport[number],
  { cause, reason }: Why,
  now: number,
  emit: Emit,
): State {
  const before = state.instances.find(({ name }) => name === to.name);
  const from = before?.state ?? 'UNKNOWN';
  const since = from === to.state ? (before?.since ?? now) : now;
  const moved: InstanceState = { name: to.name, state: to.state, priority: to.priority, since };
  const others = state.instances.filter(({ name }) => name !== to.name);
  const instances = [...others, moved].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (from === to.state) {
    if (before !== undefined && before.priority !== to.priority) {
      const fields = { instance: to.name, state: to.state, from: before.priority, to: to.priority };
      emit(logged('info', 'vrrp-priority', fields));
    }
    return { ...state, instances };
  }
  const transition = { instance: to.name, from, to: to.state, priority: to.priority, reason };
  emit(logged('info', 'vrrp-transition', { ...transition, cause }));
  // The resignation is queued in the kernel until the link is up, and a peer would then mistake it for that of the next holder.
  if (from === 'MASTER' && cause === 'interface-down')
    emit({ kind: 'discard-unsent', interfaces: interfacesOf(state, to.name) });
  return { ...state, instances, lastTransition: { ...transition, at: now } };
}

function interfacesOf({ configuration }: State, instance: string): readonly string[] {
  const vips = configuration?.instances.find(({ name }) => name === instance)?.vips ?? [];
  return [...new Set(vips.map((vip) => vip.interface))];
}
