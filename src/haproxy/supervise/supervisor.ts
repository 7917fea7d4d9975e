import type { Answer } from '../../engine/control/answer.ts';
import { createEngine, type Decisions } from '../../engine/supervise/engine.ts';
import { ACTION_LIMIT_MS, createRecovery, withTrouble } from '../../engine/supervise/recover.ts';
import { createRequests } from '../../engine/supervise/requests.ts';
import { processEpoch } from '../../engine/system/process/processes.ts';
import { waitUntilGone } from '../../engine/system/process/wait-until-gone.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { ProxyDriver } from '../program.ts';
import { act, type Effects, outcomeOfFailed } from './act.ts';
import { advance, nextDeadline } from './advance.ts';
import { adopt } from './left-over.ts';
import { createRecorder, type ProcessRecord, readRecord } from './record.ts';
import { type Action, type Event, initialState, type Limits, type State } from './state.ts';
import { describeState } from './status.ts';
import type { SupervisorStatus } from './supervisor-status.ts';
import { watchHangs } from './watch-hangs.ts';

export interface SupervisorOptions {
  readonly program: ProxyDriver;
  readonly limits: Limits;
  /** The file with the pids and start times of all supervised processes. */
  readonly recordPath: string;
  readonly log: Effects['log'];
}

export interface Supervisor {
  /** Resolves when the reload has succeeded or failed. */
  readonly reload: () => Promise<Answer>;
  /** Always answers; each generation's worker has this long to report its sessions. */
  readonly status: (workersWithinMs: number) => Promise<SupervisorStatus>;
  /** How many generations run, without asking them. */
  readonly generations: () => {
    readonly serving: number;
    readonly starting: number;
    readonly draining: number;
  };
  /** Undefined while every due deadline is handled. */
  readonly trouble: () => string | undefined;
  /** The first call starts to drain; a second call ends what is still draining. */
  readonly stop: () => void;
  /** Resolves once every supervised process has ended. */
  readonly finished: Promise<void>;
}

const decisions: Decisions<State, Event, Action> = {
  advance,
  nextDeadline,
  tick: { kind: 'tick' },
  limitMs: (action) => ACTION_LIMIT_MS + (action.kind === 'prove' ? action.timeoutMs : 0),
};

/**
 * Adopts the processes of an earlier supervisor, starts the configured HAProxy, and keeps it running until it is
 * stopped.
 */
export async function createSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { program, limits, recordPath, log } = options;
  const epoch = processEpoch();
  const record = readRecord(recordPath, epoch);
  const fresh = initialState(limits, { nextNumber: 1, hasLastGood: await program.hasLastGood() });
  const found = await adopt(fresh, record, program, monotonicMs());
  reportUnrecorded(found, record, log);
  const requests = createRequests();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const outside = { program, log, answer: requests.answer, finish };
  const engine = createEngine(found, decisions, {
    keep: createRecorder(recordPath, epoch, log),
    act: (action, dispatch) => act(action, { ...outside, dispatch }),
    failed: createRecovery(outside, outcomeOfFailed),
  });
  watchLeftOvers(found, engine.dispatch);
  engine.dispatch({ kind: 'booted', hasConfiguration: await program.hasConfiguration() });
  const watch = watchHangs(program, engine);
  void finished.then(watch.stop);
  return {
    reload: () => requests.open((request) => engine.dispatch({ kind: 'requested', request })),
    status: async (workersWithinMs) =>
      withTrouble(await statusOf(engine.state(), program, workersWithinMs), engine.trouble()),
    generations: () => generationsOf(engine.state()),
    trouble: engine.trouble,
    stop: () => engine.dispatch({ kind: 'stop' }),
    finished,
  };
}

function generationsOf({ serving, job, retiring }: State): ReturnType<Supervisor['generations']> {
  return {
    serving: serving === undefined ? 0 : 1,
    starting: job?.stage.kind === 'proving' ? 1 : 0,
    draining: retiring.length,
  };
}

async function statusOf(state: State, program: ProxyDriver, withinMs: number): Promise<SupervisorStatus> {
  const { serving, retiring } = state;
  const generations = [...(serving === undefined ? [] : [serving]), ...retiring];
  const counts = await Promise.all(
    generations.map(
      async ({ number, master }) =>
        [number, await program.countSessions({ generation: number, master }, withinMs)] as const,
    ),
  );
  const sessions = new Map(
    counts.filter((count): count is readonly [number, number] => count[1] !== undefined),
  );
  return describeState(state, sessions, monotonicMs());
}

/**
 * Reports processes that the record did not name, because it could not be written, was removed or is damaged. They were
 * found by their sockets.
 */
function reportUnrecorded(
  { serving, retiring }: State,
  record: ProcessRecord | undefined,
  log: Effects['log'],
): void {
  const found = [...(serving === undefined ? [] : [serving]), ...retiring];
  for (const { number, master } of found) {
    if (record?.generations.some((it) => it.number === number)) continue;
    log({ event: 'unrecorded-generation', level: 'warn', generation: number, pid: master.pid });
  }
}

/** The kernel reports an exit only to the parent, so processes of an earlier supervisor are polled. */
function watchLeftOvers(state: State, dispatch: (event: Event) => void): void {
  for (const { number, master } of [
    ...(state.serving === undefined ? [] : [state.serving]),
    ...state.retiring,
  ]) {
    void waitUntilGone(master).then(() =>
      dispatch({ kind: 'exited', number, how: 'an exit of unknown status (not our child)' }),
    );
  }
}
