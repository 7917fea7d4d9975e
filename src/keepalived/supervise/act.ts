import type { Failure } from '../../engine/supervise/step.ts';
import type { Log } from '../../engine/system/log.ts';
import { childrenOf, isAlive, type ProcessId, signalProcess } from '../../engine/system/process/processes.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { AcceptedConfiguration, AcceptOutcome, KeepalivedDriver } from '../vrrp-program.ts';
import type { Processes } from './processes.ts';
import type { OwnAction as Action, Event } from './state.ts';

/** keepalived reloads a configuration within about ten milliseconds. */
const CONFIRM_TIMEOUT_MS = 5_000;

/** The parts on which actions take effect. */
export interface Effects {
  readonly program: KeepalivedDriver;
  readonly processes: Processes;
  readonly log: Log;
  readonly dispatch: (event: Event) => void;
}

/** Executes one action. Its outcome is dispatched as an event; this function makes no decisions. */
export function act(action: Action, effects: Effects): Promise<void> | void {
  const { program, processes, dispatch } = effects;
  switch (action.kind) {
    case 'check':
      return check(action, effects);
    case 'start':
      return start(action.configuration, effects);
    case 'keep-last-good':
      return program.keepLastGood();
    case 'reload':
      program.reload(action.id);
      return confirm(action.id, action.configuration, effects);
    case 'ask':
      return confirm(action.id, action.configuration, effects);
    case 'terminate':
      signalProcess(action.id, 'SIGTERM');
      return;
    case 'kill':
      return kill(action.id, dispatch);
    case 'wake':
      // On SIGCHLD keepalived waits for its children, finds that none has ended, and logs nothing.
      for (const id of childrenOf(action.id)) signalProcess(id, 'SIGCHLD');
      return;
    case 'reap':
      return processes.reap().then(() => dispatch({ kind: 'reaped' }));
    case 'sweep':
      return program.sweep().then((outcome) => dispatch({ kind: 'swept', ...outcome }));
    case 'discard-unsent':
      return discardUnsent(action.interfaces, effects);
  }
}

/** The event for an action that threw. A failed `terminate` needs none, because SIGKILL follows. */
export function outcomeOfFailed(action: Action, message: string): Event | 'again' | undefined {
  switch (action.kind) {
    case 'check': {
      const failure: Failure = { stage: 'unchecked', message: `Cannot check the configuration: ${message}` };
      return { kind: 'refused', check: action.check, failure };
    }
    case 'start':
      return { kind: 'start-failed', message: `Cannot start keepalived: ${message}` };
    case 'reload':
    case 'ask':
      return { kind: 'not-confirmed', id: action.id };
    case 'sweep':
      return { kind: 'swept', removed: [], trouble: message };
    case 'kill':
    case 'reap':
      return 'again';
    case 'keep-last-good':
    case 'terminate':
    case 'wake':
    case 'discard-unsent':
      return undefined;
  }
}

function kill(parent: ProcessId, dispatch: Effects['dispatch']): void {
  const killed = [parent, ...childrenOf(parent)].filter((id) => signalProcess(id, 'SIGKILL'));
  if (killed.length > 0) dispatch({ kind: 'killed', id: parent });
}

async function check(
  { check, refusedHash }: Extract<Action, { kind: 'check' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const outcome = await program.accept(refusedHash);
  if (outcome.kind === 'accepted') dispatch({ ...outcome, check });
  else dispatch({ kind: 'refused', check, failure: failureOf(outcome) });
}

function failureOf(outcome: Exclude<AcceptOutcome, { kind: 'accepted' }>): Failure {
  const { message } = outcome;
  switch (outcome.kind) {
    case 'refused':
      return { stage: 'check', message, ...(outcome.detail && { detail: outcome.detail }) };
    case 'unchecked':
      return { stage: 'unchecked', message };
  }
}

function start(configuration: AcceptedConfiguration, { program, processes, dispatch }: Effects): void {
  const outcome = program.start(configuration);
  if (outcome.kind === 'failed') {
    dispatch({ kind: 'start-failed', message: outcome.message });
    return;
  }
  const { id } = outcome;
  processes.started(id);
  dispatch({ kind: 'started', id });
  void outcome.exited.then((how) => dispatch({ kind: 'exited', id, how }));
}

async function confirm(
  id: ProcessId,
  configuration: AcceptedConfiguration,
  { program, dispatch }: Effects,
): Promise<void> {
  const askedAt = monotonicMs();
  const timeout = AbortSignal.timeout(CONFIRM_TIMEOUT_MS);
  const report = await program.confirm(id, configuration, timeout);
  if (report !== undefined) dispatch({ kind: 'reported', askedAt, id, number: configuration.number, report });
  // A keepalived that ended meanwhile is an event of its own.
  else if (timeout.aborted || isAlive(id)) dispatch({ kind: 'not-confirmed', id });
}

async function discardUnsent(devices: readonly string[], { program, log }: Effects): Promise<void> {
  const discard = async (device: string): Promise<void> => {
    const trouble = await program.discardUnsent(device);
    if (trouble !== undefined)
      log({ event: 'queued-adverts-not-discarded', level: 'warn', interface: device, trouble });
  };
  await Promise.all(devices.map(discard));
}
