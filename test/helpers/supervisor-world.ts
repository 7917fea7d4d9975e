import type { RequestId } from '../../src/engine/supervise/step.ts';
import type { Action, Event, Hangs } from '../../src/haproxy/supervise/state.ts';
import { createMachine, type Machine, processOf, workersOf } from './supervisor-model.ts';

/** The next random event. Its effect depends on the state at that moment. */
export type Move =
  | { readonly kind: 'request' | 'stop' | 'tick-at-deadline' }
  | { readonly kind: 'wait'; readonly ms: number }
  /** One of the operations asked of the environment completes, successfully or not. */
  | { readonly kind: 'finish'; readonly which: number; readonly well: boolean }
  /** A process dies, or an event arrives too late. */
  | { readonly kind: 'die' | 'stale'; readonly which: number }
  /** Enough polls of a generation in a row to find that it hangs. */
  | { readonly kind: 'hang'; readonly which: number; readonly hangs: Hangs }
  /** One poll of a generation that has run this long since an open request; 0 if it answers. */
  | { readonly kind: 'run'; readonly which: number; readonly busyMs: number };

export interface World {
  readonly machine: Machine;
  readonly requests: readonly RequestId[];
  readonly answered: ReadonlyMap<RequestId, number>;
  /** Everything that happened and must never happen. */
  readonly violations: readonly string[];
  readonly startsBegun: () => number;
  readonly finishes: () => number;
  readonly play: (move: Move) => void;
  /** Completes every request and every end, until nothing changes. */
  readonly settle: () => void;
}

/**
 * A tiny stand-in for HAProxy, processes and time around the pure machine. Starts are immediate, as in reality;
 * everything else takes as long as the moves say, in any order.
 */
export function createWorld(hasConfiguration: boolean): World {
  const machine = createMachine();
  const pending: ((well: boolean) => Event)[] = [];
  const alive = new Set<number>();
  const provenOnes = new Set<number>();
  const answered = new Map<RequestId, number>();
  const requests: RequestId[] = [];
  const violations: string[] = [];
  let starts = 0;
  let finishes = 0;
  let stopped = false;

  const send = (event: Event): void => {
    const before = machine.state;
    if (event.kind === 'proven') provenOnes.add(event.number);
    for (const action of machine.send(event)) react(action, before.serving?.number);
    if (finishes > 0 && alive.size > 0) violations.push('finished while a process lives');
  };
  const react = (action: Action, wasServing: number | undefined): void => {
    switch (action.kind) {
      case 'check':
        pending.push((well) => ({
          kind: 'checked',
          failure: well ? undefined : { stage: 'check', message: 'no' },
        }));
        return;
      case 'save-state':
        pending.push(() => ({ kind: 'state-saved' }));
        return;
      case 'start':
        if (action.takeOver !== (wasServing !== undefined && machine.state.serving !== undefined))
          violations.push('a take-over without a predecessor, or a predecessor without a take-over');
        starts += 1;
        alive.add(action.number);
        send({
          kind: 'started',
          number: action.number,
          master: processOf(action.number),
          configSha256: 's',
          revision: 's',
          configBytes: 1,
          setFiles: 0,
        });
        return;
      case 'prove':
        pending.push((well) => (well ? proof(action.number) : death(action.number)));
        return;
      case 'wait-until-alone':
        pending.push(() => ({ kind: 'alone', number: action.number }));
        return;
      case 'give-notice':
        pending.push((well) => ({ kind: 'notice-given', number: action.generation.number, heeded: well }));
        return;
      case 'soft-stop':
      case 'terminate':
      case 'kill':
        retired(action);
        return;
      case 'answer':
        for (const request of action.requests) answered.set(request, (answered.get(request) ?? 0) + 1);
        return;
      case 'keep-last-good':
        pending.push((well) => ({ kind: 'last-good-kept', kept: well }));
        return;
      case 'finish':
        finishes += 1;
        return;
      case 'report-hung':
      case 'report-busy':
      case 'shed-sessions':
      case 'end-sessions-of-lost-servers':
      case 'clean-up':
      case 'log':
        return;
    }
  };
  const proof = (number: number): Event => ({
    kind: 'proven',
    number,
    workers: workersOf(number),
    isAlone: number % 3 !== 0,
  });
  const death = (number: number): Event => {
    alive.delete(number);
    return { kind: 'exited', number, how: 'exit code 0' };
  };
  const retired = (action: Extract<Action, { kind: 'soft-stop' | 'terminate' | 'kill' }>): void => {
    const { number } = action.generation;
    const newer = [...provenOnes].some((other) => other > number);
    if (provenOnes.has(number) && !newer && !stopped && machine.state.serving?.number === number)
      violations.push(`generation ${number} got ${action.kind} while it served`);
    if (action.kind !== 'soft-stop') pending.push(() => death(number));
    else if (number % 2 === 0) pending.push(() => death(number));
  };
  const finish = (which: number, well: boolean): void => {
    const [make] = pending.splice(which % Math.max(1, pending.length), 1);
    if (make !== undefined) send(make(well));
  };
  const staleEvents: readonly ((number: number) => Event)[] = [
    proof,
    (number) => ({ kind: 'exited', number: number + 1_000, how: 'exit code 0' }),
    () => ({ kind: 'state-saved' }),
    (number) => ({ kind: 'start-failed', number: number + 1_000, message: 'late' }),
    () => ({ kind: 'tick' }),
  ];
  const play = (move: Move): void => {
    switch (move.kind) {
      case 'request':
        requests.push(requests.length + 1);
        send({ kind: 'requested', request: requests.length });
        return;
      case 'stop':
        stopped = true;
        send({ kind: 'stop' });
        return;
      case 'wait':
        machine.now += move.ms;
        return;
      case 'tick-at-deadline':
        tick();
        return;
      case 'finish':
        finish(move.which, move.well);
        return;
      case 'die': {
        const victim = [...alive][move.which % Math.max(1, alive.size)];
        if (victim !== undefined) send(death(victim));
        return;
      }
      case 'hang': {
        const number = [...alive][move.which % Math.max(1, alive.size)] ?? 0;
        for (let look = 0; look < 8; look += 1)
          send({ kind: 'polled', number, lives: false, hangs: move.hangs });
        return;
      }
      case 'run': {
        const number = [...alive][move.which % Math.max(1, alive.size)] ?? 0;
        send({ kind: 'polled', number, lives: true, ...(move.busyMs > 0 && { busyMs: move.busyMs }) });
        return;
      }
      case 'stale': {
        const make = staleEvents[move.which % staleEvents.length];
        const old = [...provenOnes].at(0) ?? 1;
        // Proof of a serving generation, or of a candidate, would not be stale.
        if (make !== undefined && !(make === proof && machine.state.job?.stage.kind === 'proving'))
          send(make(old));
      }
    }
  };
  const tick = (): boolean => {
    const actionsBefore = machine.actions.length;
    const at = machine.now;
    const before = JSON.stringify(machine.state);
    if (!machine.tickAtDeadline()) return false;
    for (const action of machine.actions.splice(actionsBefore)) react(action, machine.state.serving?.number);
    if (machine.now === at && JSON.stringify(machine.state) === before)
      violations.push('a tick changed nothing');
    return true;
  };
  const settle = (): void => {
    for (let step = 0; step < 10_000; step += 1) {
      if (pending.length > 0) finish(0, true);
      else if (machine.state.retiring.length === 0 && machine.state.job === undefined && !tick()) return;
      else if (pending.length === 0 && !tick()) return;
    }
    violations.push('it does not come to rest');
  };

  send({ kind: 'booted', hasConfiguration });
  return {
    machine,
    requests,
    answered,
    violations,
    play,
    settle,
    startsBegun: () => starts,
    finishes: () => finishes,
  };
}
