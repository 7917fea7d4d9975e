import type { CheckOutcome } from '../../engine/config/check.ts';
import type { Answer } from '../../engine/control/answer.ts';
import { withTrouble } from '../../engine/supervise/describe-shared.ts';
import type { Decisions } from '../../engine/supervise/engine.ts';
import { openProcessRecord } from '../../engine/supervise/process-record.ts';
import { ACTION_LIMIT_MS, createSupervision, endOfAdopted } from '../../engine/supervise/supervision.ts';
import type { Log } from '../../engine/system/log.ts';
import { residentBytes } from '../../engine/system/process/processes.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { ProxyDriver } from '../program.ts';
import { decodeChangeRequest } from '../runtime/change.ts';
import type { Running } from '../runtime/line.ts';
import { act, outcomeOfFailed } from './act.ts';
import { advance, nextDeadline } from './advance.ts';
import { initialState } from './initial-state.ts';
import { adopt } from './left-over.ts';
import { type GenerationsRecord, recordOf, recordSchema } from './record.ts';
import { type Action, type Event, generationsIn, type Limits, runningOf, type State } from './state.ts';
import { describeState } from './status.ts';
import type { SupervisorStatus } from './supervisor-status.ts';
import { watchDrift } from './watch-drift.ts';
import { watchHangs } from './watch-hangs.ts';
import { watchMemory } from './watch-memory.ts';

/** Problems of clients' connections. */
export interface ConnectionCounts {
  /** Connections sent to another server after a failed attempt, since the supervisor started. */
  readonly redispatched: number;
  /** Of the serving generation. */
  readonly longestConnectMs: number;
}

/** A product's work on the servers of the serving generation. It runs until `stop`. */
export type ServerWatch = (parts: {
  readonly program: Pick<ProxyDriver, 'serverStatistics' | 'setAside'>;
  readonly serving: () => Running | undefined;
  readonly log: Log;
}) => { readonly connections: () => ConnectionCounts; readonly stop: () => void };

export interface SupervisorOptions {
  readonly program: ProxyDriver;
  readonly limits: Limits;
  /** The file with the pids and start times of all supervised processes. */
  readonly recordPath: string;
  readonly log: Log;
  readonly watchServers: ServerWatch;
}

export interface Supervisor {
  /** Resolves when the reload has succeeded or failed. */
  readonly reload: () => Promise<Answer>;
  /** Resolves once the requested change is made, or with the reason if it is not. Never reloads: see `ChangeRequest`. */
  readonly change: (text: string) => Promise<Answer>;
  /**
   * Validates the candidate next to the configuration. Resolves with `ok`, or with stage `check` and HAProxy's message. Stage `internal` means that
   * there is no verdict. Running processes are not affected.
   */
  readonly check: () => Promise<Answer>;
  /** Always answers. Each generation's worker may take this long to report its sessions. */
  readonly status: (workersWithinMs: number) => Promise<SupervisorStatus>;
  /** Number of running generations, without querying them. */
  readonly generations: () => {
    readonly serving: number;
    readonly starting: number;
    readonly draining: number;
    /** Memory of the draining generations, masters and workers together. */
    readonly drainingMemoryBytes: number;
  };
  readonly connections: () => ConnectionCounts;
  /** Why a due deadline is not handled; undefined if all are. */
  readonly trouble: () => string | undefined;
  /** The first call starts to drain. A second call ends what is still draining. */
  readonly stop: () => void;
  /** Resolves once every supervised process has ended. */
  readonly finished: Promise<void>;
  /** Whether sessions or a process had to be ended after a stop was requested. */
  readonly isForced: () => boolean;
}

const decisions: Decisions<State, Event, Action> = {
  advance,
  nextDeadline,
  tick: { kind: 'tick' },
  limitMs: (action) => ACTION_LIMIT_MS + ('timeoutMs' in action ? action.timeoutMs : 0),
};

/** Adopts the processes of an earlier supervisor, starts the configured HAProxy, and keeps it running until it is stopped. */
export async function createSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { program, limits, recordPath, log } = options;
  const file = openProcessRecord(recordPath, recordSchema, log);
  const record = file.read();
  const fresh = initialState(limits, { nextNumber: 1, hasLastGood: await program.hasLastGood() });
  const adopted = await adopt(fresh, record, program, monotonicMs());
  reportUnrecorded(adopted, record, log);
  const { ask, dispatch, state, trouble, finished } = createSupervision(adopted, decisions, {
    log,
    keep: (next) => file.write(recordOf(next)),
    act: (action, dispatch) => act(action, { program, log, dispatch }),
    outcomeOfFailed,
  });
  for (const { number, master } of generationsIn(adopted))
    void endOfAdopted(master).then((how) => dispatch({ kind: 'exited', number, how }));
  dispatch({ kind: 'booted', hasConfiguration: await program.hasConfiguration() });
  const watch = watchHangs(program, { state, dispatch });
  const servers = options.watchServers({ program, serving: () => servingIn(state()), log });
  const drift = watchDrift(program, { state, dispatch, log });
  const memory = watchMemory({ state, dispatch });
  void finished.then(watch.stop).then(servers.stop).then(drift.stop).then(memory.stop);
  return {
    reload: () => ask((request) => ({ kind: 'requested', request })),
    change: async (text) => {
      const change = decodeChangeRequest(text);
      if (change !== undefined)
        return await ask((request) => ({ kind: 'change-requested', request, change }));
      return {
        ok: false,
        stage: 'protocol',
        message: `Cannot read the change "${text.slice(0, 80)}": invalid request`,
      };
    },
    check: async () => answerToCheck(await program.checkCandidate()),
    status: async (workersWithinMs) =>
      withTrouble(await statusOf(state(), program, workersWithinMs), trouble()),
    generations: () => generationsOf(state()),
    connections: servers.connections,
    trouble,
    stop: () => dispatch({ kind: 'stop' }),
    finished,
    isForced: () => state().forced,
  };
}

function servingIn({ serving }: State): Running | undefined {
  return serving === undefined ? undefined : runningOf(serving);
}

export function answerToCheck(outcome: CheckOutcome): Answer {
  switch (outcome.kind) {
    case 'valid':
      return { ok: true };
    case 'invalid':
      return { ok: false, stage: 'check', message: outcome.message, detail: outcome.detail };
    case 'impossible':
      return { ok: false, stage: 'unchecked', message: outcome.message };
  }
}

function generationsOf({ serving, job, retiring }: State): ReturnType<Supervisor['generations']> {
  return {
    serving: serving === undefined ? 0 : 1,
    starting: job?.stage.kind === 'proving' ? 1 : 0,
    draining: retiring.length,
    drainingMemoryBytes: residentBytes(retiring.flatMap(({ master, workers }) => [master, ...workers])),
  };
}

async function statusOf(state: State, program: ProxyDriver, withinMs: number): Promise<SupervisorStatus> {
  const counts = await Promise.all(
    generationsIn(state).map(
      async ({ number, master }) =>
        [number, await program.countSessions(runningOf({ number, master }), withinMs)] as const,
    ),
  );
  const sessions = new Map(
    counts.filter((count): count is readonly [number, number] => count[1] !== undefined),
  );
  const status = describeState(state, sessions, monotonicMs());
  const { current } = status;
  const configSha256 =
    typeof current?.revision !== 'string' ? undefined : program.fileSha256(current.revision);
  return current === null || configSha256 === undefined
    ? status
    : { ...status, current: { ...current, configSha256 } };
}

/**
 * Reports processes that are missing from the record, because it could not be written, was removed or is damaged. They were found by their sockets.
 */
function reportUnrecorded(state: State, record: GenerationsRecord | undefined, log: Log): void {
  for (const { number, master } of generationsIn(state)) {
    if (record?.generations.some((it) => it.number === number)) continue;
    log({ event: 'unrecorded-generation', level: 'warn', generation: number, pid: master.pid });
  }
}
