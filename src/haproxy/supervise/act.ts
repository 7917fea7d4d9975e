import { setTimeout as pause } from 'node:timers/promises';
import type { Failure } from '../../engine/supervise/step.ts';
import type { Log } from '../../engine/system/log.ts';
import { describeProcess } from '../../engine/system/process/process-vitals.ts';
import { signalProcess } from '../../engine/system/process/processes.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { ProxyDriver } from '../program.ts';
import { type OwnAction as Action, type Event, type Processes, type Retiring, runningOf } from './state.ts';
import { workersOf } from './workers-of.ts';

/** What actions need to take effect. */
export interface Effects {
  readonly program: ProxyDriver;
  readonly log: Log;
  readonly dispatch: (event: Event) => void;
}

/** Carries out one action. The outcome returns as an event; this function makes no decisions. */
export function act(action: Action, effects: Effects): Promise<void> | void {
  const { program, dispatch } = effects;
  switch (action.kind) {
    case 'check':
      return program
        .check(action.config)
        .then((outcome) => dispatch({ kind: 'checked', failure: failureOf(outcome) }));
    case 'change':
      return change(action, effects);
    case 'save-state':
      return program.saveState().then(() => dispatch({ kind: 'state-saved' }));
    case 'start':
      return start(action, effects);
    case 'prove':
      return prove(action, effects);
    case 'give-notice':
      return giveNotice(action, effects);
    case 'soft-stop':
    case 'terminate':
    case 'kill':
      return signalGeneration(action.kind, action.generation);
    case 'report-hung':
      return reportHung(action, effects);
    case 'report-busy':
      return reportBusy(action, effects);
    case 'wait-until-alone':
      return waitUntilAlone(action, effects);
    case 'shed-sessions':
      return shed(action, effects);
    case 'end-sessions-of-lost-servers':
      return endOfLostServers(action, effects);
    case 'count-requests':
      return countRequests(action, effects);
    case 'clean-up':
      for (const id of action.workers) signalProcess(id, 'SIGKILL');
      return program.cleanUp(action.number);
    case 'keep-last-good':
      return program.keepLastGood(action.revision).then((kept) => dispatch({ kind: 'last-good-kept', kept }));
  }
}

/** The outcome of an action that threw. A SIGTERM that could not be sent is followed by SIGKILL, and a proof ends at its deadline. */
export function outcomeOfFailed(action: Action, message: string): Event | 'again' | undefined {
  switch (action.kind) {
    case 'check':
      return { kind: 'checked', failure: undefined };
    case 'save-state':
      return { kind: 'state-saved' };
    case 'change':
      return {
        kind: 'changed',
        number: action.serving.number,
        outcome: { kind: 'refused', reason: message },
      };
    case 'start': {
      const { number } = action;
      return { kind: 'start-failed', number, message: `Cannot start generation ${number}: ${message}` };
    }
    case 'give-notice':
      return { kind: 'notice-given', number: action.generation.number, heeded: false };
    case 'wait-until-alone':
      return { kind: 'alone', number: action.number };
    case 'soft-stop':
    case 'kill':
      return 'again';
    case 'prove':
    case 'terminate':
    case 'report-hung':
    case 'report-busy':
    case 'shed-sessions':
    case 'end-sessions-of-lost-servers':
    case 'count-requests':
    case 'clean-up':
    case 'keep-last-good':
      return undefined;
  }
}

function failureOf(outcome: Awaited<ReturnType<ProxyDriver['check']>>): Failure | undefined {
  switch (outcome.kind) {
    case 'valid':
      return undefined;
    case 'invalid':
      return { stage: 'check', message: outcome.message, detail: outcome.detail };
    case 'impossible':
      return { stage: 'unchecked', message: outcome.message };
  }
}

async function change(
  { serving, request }: Extract<Action, { kind: 'change' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const outcome = await program.change(runningOf(serving), request);
  dispatch({ kind: 'changed', number: serving.number, outcome });
}

async function giveNotice(
  { generation, config }: Extract<Action, { kind: 'give-notice' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const heeded = await program.giveNotice(runningOf(generation), config);
  dispatch({ kind: 'notice-given', number: generation.number, heeded });
}

async function shed(
  { generation, share }: Extract<Action, { kind: 'shed-sessions' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const ended = await program.endSessions(runningOf(generation), share);
  if (ended > 0) dispatch({ kind: 'sessions-ended', number: generation.number, ended, for: 'time' });
}

async function endOfLostServers(
  { serving, draining }: Extract<Action, { kind: 'end-sessions-of-lost-servers' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const results = await program.endSessionsOfLostServers(runningOf(serving), draining.map(runningOf));
  for (const { generation: number, ended } of results)
    if (ended > 0) dispatch({ kind: 'sessions-ended', number, ended, for: 'server' });
}

async function countRequests(
  { draining }: Extract<Action, { kind: 'count-requests' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const count = async (generation: Retiring): Promise<void> => {
    const requests = await program.countRequests(runningOf(generation));
    dispatch({ kind: 'requests-counted', number: generation.number, requests });
  };
  await Promise.all(draining.map(count));
}

function start(action: Extract<Action, { kind: 'start' }>, { program, dispatch }: Effects): void {
  const { number, config, takeOver } = action;
  const outcome = program.start({ generation: number, config, takeOver });
  if (outcome.kind === 'failed') {
    dispatch({ kind: 'start-failed', number, message: outcome.message });
    return;
  }
  const { exited, ...started } = outcome;
  dispatch({ ...started, number });
  void exited.then((how) => dispatch({ kind: 'exited', number, how }));
}

async function prove(
  { number, master, timeoutMs }: Extract<Action, { kind: 'prove' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const workers = await program.prove(runningOf({ number, master }), AbortSignal.timeout(timeoutMs));
  if (workers !== undefined) dispatch({ kind: 'proven', number, workers, isAlone: program.listensAlone() });
}

/** Logs the state of processes that are about to be killed, at once. A healthy worker is first queried for its own report. */
async function reportHung(
  { generation, hangs, stillMs }: Extract<Action, { kind: 'report-hung' }>,
  { program, log }: Effects,
): Promise<void> {
  const { number, master, workers } = generation;
  const dump = [master, ...workers].map(describeProcess).join('; ');
  const info = hangs === 'master' ? await program.describeServing() : undefined;
  const fields = { generation: number, pid: master.pid, hangs, stillMs, dump };
  log({ event: 'generation-hung', level: 'error', ...fields, ...(info !== undefined && { info }) });
}

function reportBusy(
  { generation, busyMs }: Extract<Action, { kind: 'report-busy' }>,
  { log }: Effects,
): void {
  const { number, master, workers } = generation;
  const dump = [master, ...workers].map(describeProcess).join('; ');
  const fields = { generation: number, pid: master.pid, busyMs, dump };
  log({ event: 'generation-busy', level: 'warn', ...fields });
}

const ASK_AGAIN_MS = 20;

async function waitUntilAlone(
  { number, timeoutMs }: Extract<Action, { kind: 'wait-until-alone' }>,
  { program, dispatch }: Effects,
): Promise<void> {
  const untilMs = monotonicMs() + timeoutMs;
  while (!program.listensAlone() && monotonicMs() < untilMs)
    await pause(ASK_AGAIN_MS, undefined, { ref: false });
  dispatch({ kind: 'alone', number });
}

/**
 * Sends a signal. The soft stop goes to the workers themselves: a master that has just forked receives SIGUSR1 without passing it on (HAProxy 2.6),
 * and its worker would continue to accept. The master does not get it, because a worker that receives it twice may die, and a master ends by itself
 * after its last worker. A master passes on SIGTERM in time; SIGKILL cannot be passed on.
 */
function signalGeneration(kind: 'soft-stop' | 'terminate' | 'kill', generation: Processes): void {
  const { master } = generation;
  if (kind === 'terminate') return void signalProcess(master, 'SIGTERM');
  const workers = workersOf(generation);
  if (kind === 'soft-stop')
    for (const id of workers.length > 0 ? workers : [master]) signalProcess(id, 'SIGUSR1');
  else for (const id of [master, ...workers]) signalProcess(id, 'SIGKILL');
}
