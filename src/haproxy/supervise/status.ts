import { describeShared } from '../../engine/supervise/describe-shared.ts';
import type { Retiring, State } from './state.ts';
import type { SupervisorStatus } from './supervisor-status.ts';

type Sessions = ReadonlyMap<number, number>;

const REASONS: Record<Retiring['reason'], string> = {
  replaced: 'a newer generation serves',
  unproven: 'it did not prove that it serves',
  stopping: 'the supervisor is stopping',
  hung: 'it hangs',
  'left-over': 'an earlier supervisor left it',
};

const CUT_SHORT: Record<NonNullable<Retiring['cutShort']>, string> = {
  number: '; too many drain',
  memory: '; draining generations use too much memory',
};

/**
 * The state for people and monitors. `sessions` has the report of each worker that answered. Times are milliseconds: ages, or the time until
 * something happens.
 */
export function describeState(state: State, sessions: Sessions, now: number): SupervisorStatus {
  const { job } = state;
  return {
    ok: true,
    phase: phaseOf(state),
    current: describeServing(state, sessions, now),
    draining: state.retiring.map((generation) => describeRetiring(generation, sessions, now)),
    ...describeLastCutShort(state, now),
    changes: describeChanges(state.changeCounts),
    ...describeShared(state, job && { cause: job.cause, stage: job.stage.kind }, now),
  };
}

function describeLastCutShort(
  { lastCutShort: last }: State,
  now: number,
): Pick<SupervisorStatus, 'lastCutShort'> {
  if (last === undefined) return {};
  const { number: generation, limit, at } = last;
  return { lastCutShort: { generation, limit, agoMs: Math.round(now - at) } };
}

function describeChanges({ lastRefusal, ...counts }: State['changeCounts']): SupervisorStatus['changes'] {
  return { ...counts, ...(lastRefusal !== undefined && { lastRefusal }) };
}

function phaseOf(state: State): SupervisorStatus['phase'] {
  if (state.phase !== 'running') return state.phase;
  if (state.serving !== undefined) return 'serving';
  return state.job === undefined && state.restart.at === undefined ? 'waiting-for-configuration' : 'starting';
}

function describeServing(state: State, sessions: Sessions, now: number): SupervisorStatus['current'] {
  if (state.serving === undefined) return null;
  const { number, master, workers, config, configSha256, revision, provenAt } = state.serving;
  return {
    generation: number,
    pid: master.pid,
    workers: workers.map((worker) => worker.pid),
    config,
    configSha256,
    revision: revision ?? null,
    ageMs: Math.round(now - provenAt),
    sessions: sessions.get(number) ?? null,
  };
}

function describeRetiring(
  generation: Retiring,
  sessions: Sessions,
  now: number,
): SupervisorStatus['draining'][number] {
  return {
    generation: generation.number,
    pid: generation.master.pid,
    workers: generation.workers.map((worker) => worker.pid),
    ageMs: Math.round(now - generation.since),
    sessions: sessions.get(generation.number) ?? null,
    terminateInMs: Math.max(0, Math.round(generation.terminateAt - now)),
    sent: generation.sent,
    reason:
      REASONS[generation.reason] + (generation.cutShort === undefined ? '' : CUT_SHORT[generation.cutShort]),
  };
}
