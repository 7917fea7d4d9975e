import type { TransitionCause } from '../../model/transition-cause.ts';
import type { InstanceState, VrrpState } from '../../model/vip-presence.ts';
import type { SelfReport } from '../../model/vrrp-program.ts';
import type { Action, Event, VrrpSupervisorState } from './state.ts';

type State = VrrpSupervisorState;
type Emit = (action: Action) => void;

/** A line of the FIFO. */
export function told(state: State, event: Extract<Event, { kind: 'told' }>, now: number, emit: Emit): State {
  const { instance, priority, trackValue } = event;
  const why = because(causeOf(state, instance, event.state, trackValue));
  return moveTo(state, { name: instance, state: event.state, priority }, why, now, emit);
}

/** What keepalived says when it is asked; lines of the FIFO may have been lost, or there is no FIFO. */
export function reported(state: State, report: SelfReport, now: number, emit: Emit): State {
  const names = new Set(report.map(({ name }) => name));
  const kept: State = { ...state, instances: state.instances.filter(({ name }) => names.has(name)) };
  return report.reduce((next, each) => moveTo(next, each, because('asked'), now, emit), kept);
}

/** Nothing runs any more, so nothing is held: who reads the states must know at once. */
export function forgetInstances(state: State, now: number, reason: string, emit: Emit): State {
  return state.instances.reduce(
    (next, { name, priority }) =>
      moveTo(next, { name, state: 'STOP', priority }, { cause: 'gone', reason }, now, emit),
    state,
  );
}

interface Why {
  readonly cause: TransitionCause;
  /** For people. */
  readonly reason: string;
}

function because(cause: keyof typeof REASONS): Why {
  return { cause, reason: REASONS[cause] };
}

function moveTo(
  state: State,
  to: { readonly name: string; readonly state: VrrpState; readonly priority: number },
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
    if (before !== undefined && before.priority !== to.priority) tellPriority(before, to.priority, emit);
    return { ...state, instances };
  }
  const transition = { instance: to.name, from, to: to.state, priority: to.priority, reason };
  emit({ kind: 'log', level: 'info', event: 'vrrp-transition', fields: { ...transition, cause } });
  return { ...state, instances, lastTransition: { ...transition, at: now } };
}

function tellPriority({ name, state, priority }: InstanceState, to: number, emit: Emit): void {
  const fields = { instance: name, state, from: priority, to };
  emit({ kind: 'log', level: 'info', event: 'vrrp-priority', fields });
}

const REASONS: Readonly<Record<Exclude<TransitionCause, 'gone'>, string>> = {
  asked: 'keepalived said so when it was asked',
  'no-better-advert': 'no advert of a node with a higher priority',
  outranked: 'a node with a higher priority took over, or the address was taken away',
  'cannot-serve': 'the track file says that this node cannot serve (-254)',
  'interface-or-check': 'an interface is down, or a check says that this node cannot serve',
  'can-serve-again': 'this node can serve again',
  started: 'keepalived has started',
  stopping: 'it was asked to stop',
  stops: 'keepalived stops',
};

/** keepalived does not say why; what is known at that moment tells most of it. */
function causeOf(
  state: State,
  instance: string,
  to: VrrpState,
  trackValue: number | undefined,
): keyof typeof REASONS {
  const from = state.instances.find(({ name }) => name === instance)?.state ?? 'UNKNOWN';
  if (to === 'STOP') return state.daemon.kind === 'leaving' ? 'stopping' : 'stops';
  if (to === 'FAULT')
    return trackValue !== undefined && trackValue <= -254 ? 'cannot-serve' : 'interface-or-check';
  if (to === 'MASTER') return 'no-better-advert';
  if (from === 'MASTER') return 'outranked';
  return from === 'FAULT' ? 'can-serve-again' : 'started';
}
