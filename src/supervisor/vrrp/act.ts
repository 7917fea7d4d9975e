import type { ProcessId } from '../../model/process-id.ts';
import type { AcceptedConfiguration, VrrpProgram } from '../../model/vrrp-program.ts';
import type { Answer } from '../../protocol/answer.ts';
import { childrenOf, signalProcess } from '../../system/processes.ts';
import type { Effects as GenericEffects } from '../act.ts';
import type { Processes } from './processes.ts';
import type { Action, Done, Event, Failure, RequestId } from './state.ts';

/** keepalived reads a configuration in some ten milliseconds, after a check of its own. */
const CONFIRM_TIMEOUT_MS = 5_000;

/** Where actions take effect. */
export interface Effects {
  readonly program: VrrpProgram;
  readonly processes: Processes;
  readonly dispatch: (event: Event) => void;
  readonly answer: (request: RequestId, answer: Answer) => void;
  readonly log: GenericEffects['log'];
  readonly finish: () => void;
}

/** Carries one decision out. What comes of it comes back as an event; nothing here decides anything. */
export function act(action: Action, effects: Effects): void {
  const { program, processes, dispatch } = effects;
  switch (action.kind) {
    case 'check':
      void check(action.check, effects);
      return;
    case 'start':
      start(effects);
      return;
    case 'reload':
      program.reload(action.id);
      void confirm(action.id, action.configuration, effects);
      return;
    case 'ask':
      void confirm(action.id, action.configuration, effects);
      return;
    case 'terminate':
      signalProcess(action.id, 'SIGTERM');
      return;
    case 'kill':
      kill(action.id, dispatch);
      return;
    case 'nudge':
      // It waits for its children then, finds none that has ended, and says nothing about it.
      for (const id of childrenOf(action.id)) signalProcess(id, 'SIGCHLD');
      return;
    case 'bury':
      void processes.bury().then(() => dispatch({ kind: 'buried' }));
      return;
    case 'sweep':
      void program.sweep().then((outcome) => dispatch({ kind: 'swept', ...outcome }));
      return;
    case 'discard-unsent':
      for (const each of action.interfaces) void discardUnsent(each, effects);
      return;
    case 'answer':
      for (const request of action.requests) effects.answer(request, answerOf(action.result));
      return;
    case 'log':
      effects.log({ ...action.fields, event: action.event, level: action.level });
      return;
    case 'finish':
      effects.finish();
      return;
  }
}

function kill(parent: ProcessId, dispatch: Effects['dispatch']): void {
  const killed = [parent, ...childrenOf(parent)].filter((id) => signalProcess(id, 'SIGKILL'));
  if (killed.length > 0) dispatch({ kind: 'killed', id: parent });
}

async function check(number: number, { program, dispatch }: Effects): Promise<void> {
  const outcome = await program.accept();
  if (outcome.kind === 'accepted') {
    dispatch({ ...outcome, check: number });
    return;
  }
  const { message, detail } = outcome;
  dispatch({
    kind: 'refused',
    check: number,
    failure: { stage: 'check', message, ...(detail && { detail }) },
  });
}

function start({ program, processes, dispatch }: Effects): void {
  const outcome = program.start();
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
  const report = await program.confirm(id, configuration, AbortSignal.timeout(CONFIRM_TIMEOUT_MS));
  if (report === undefined) dispatch({ kind: 'not-confirmed', id });
  else dispatch({ kind: 'reported', id, number: configuration.number, report });
}

async function discardUnsent(device: string, { program, log }: Effects): Promise<void> {
  const trouble = await program.discardUnsent(device);
  if (trouble !== undefined)
    log({ event: 'unsent-not-discarded', level: 'warn', interface: device, trouble });
}

function answerOf(result: Done | Failure): Answer {
  return 'stage' in result ? { ok: false, ...result } : { ok: true, ...result };
}
