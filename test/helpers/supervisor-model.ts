import type { ProcessId } from '../../src/engine/system/process/processes.ts';
import { advance, nextDeadline } from '../../src/haproxy/supervise/advance.ts';
import { initialState } from '../../src/haproxy/supervise/initial-state.ts';
import type { Action, Event, State } from '../../src/haproxy/supervise/state.ts';

export const limits = {
  forceDeleteTimeoutMs: 120_000,
  drainTimeoutMs: 55_000,
  startTimeoutMs: 10_000,
  mostDraining: 3,
  mostDrainingBytes: 1_000,
};

export const processOf = (number: number): ProcessId => ({ pid: 1_000 + number, startTicks: number });
export const workersOf = (number: number): readonly ProcessId[] => [
  { pid: 2_000 + number, startTicks: number },
];

/** A supervisor's decisions without a supervisor: events go in one by one, at times that the test chooses. */
export interface Machine {
  state: State;
  now: number;
  /** Every action so far, in order, except logging. */
  readonly actions: Action[];
  readonly send: (event: Event) => readonly Action[];
  /** Advances time to the next deadline, and ticks. False without a deadline. */
  readonly tickAtDeadline: () => boolean;
}

export function createMachine(first: Partial<State> = {}): Machine {
  const machine: Machine = {
    state: { ...initialState(limits, { nextNumber: 1, hasLastGood: false }), ...first },
    now: 1_000_000,
    actions: [],
    send: (event) => {
      const { state, actions } = advance(machine.state, event, machine.now);
      machine.state = state;
      const told = actions.filter(({ kind }) => kind !== 'log');
      machine.actions.push(...told);
      return told;
    },
    tickAtDeadline: () => {
      const deadline = nextDeadline(machine.state);
      if (deadline === undefined) return false;
      machine.now = Math.max(machine.now, deadline);
      machine.send({ kind: 'tick' });
      return true;
    },
  };
  return machine;
}

export const started = (number: number): Event => ({
  kind: 'started',
  number,
  master: processOf(number),
  configSha256: `sha-${number}`,
  revision: `sha-${number}`,
  configBytes: 1_000,
  setFiles: 0,
});
export const exited = (number: number): Event => ({ kind: 'exited', number, how: 'signal SIGKILL' });
export const proven = (number: number): Event => ({
  kind: 'proven',
  number,
  workers: workersOf(number),
  isAlone: true,
});
export const valid: Event = { kind: 'checked', failure: undefined };
export const unchecked: Event = {
  kind: 'checked',
  failure: { stage: 'unchecked', message: 'no memory' },
};
export const invalid: Event = {
  kind: 'checked',
  failure: { stage: 'check', message: 'no', detail: 'line 3' },
};

/** Takes a job that has just begun to a serving generation. */
export function succeed(machine: Machine): number {
  if (machine.state.job?.stage.kind === 'saving-state') machine.send({ kind: 'state-saved' });
  return prove(machine);
}

/** Takes a job that has just begun to a generation that exits at once, and to HAProxy's refusal of its file. */
export function refuse(machine: Machine): void {
  if (machine.state.job?.stage.kind === 'saving-state') machine.send({ kind: 'state-saved' });
  const { job } = machine.state;
  if (job?.stage.kind !== 'starting') throw new Error(`Cannot refuse: the job is ${job?.stage.kind}`);
  const { number } = job.stage;
  for (const event of [started(number), exited(number), invalid]) machine.send(event);
}

/** Takes a starting job to a serving generation. */
export function prove(machine: Machine): number {
  const { job } = machine.state;
  if (job?.stage.kind !== 'starting') throw new Error(`Cannot prove: the job is ${job?.stage.kind}`);
  const { number } = job.stage;
  machine.send(started(number));
  machine.send(proven(number));
  return number;
}

/** A machine whose first generation serves. */
export function serving(first: Partial<State> = {}): Machine {
  const machine = createMachine(first);
  machine.send({ kind: 'booted', hasConfiguration: true });
  succeed(machine);
  machine.send({ kind: 'last-good-kept', kept: true });
  machine.actions.length = 0;
  return machine;
}

export const kindsOf = (actions: readonly Action[]): readonly string[] => actions.map(({ kind }) => kind);
