import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, isAlive, type ProcessId } from '../../engine/system/process/processes.ts';
import type { ProxyDriver, RunningGeneration } from '../program.ts';
import type { GenerationsRecord, RecordedGeneration } from './record.ts';
import { drainUntil } from './retire.ts';
import type { Retiring, Serving, State } from './state.ts';

/** A process that may have started just before its supervisor was killed is searched for during one second. */
const POLL_EVERY_MS = 100;
const STARTING_POLLS = 10;

/**
 * Adopts the generations of a killed supervisor. The one that accepts new connections serves until a new one has taken over its listeners; every
 * other live generation retires. This includes generations that were never recorded (full disk, removed or damaged record). Processes that are gone,
 * or whose pid was reused, are dropped and cleaned up.
 */
export async function adopt(
  fresh: State,
  record: GenerationsRecord | undefined,
  program: ProxyDriver,
  now: number,
): Promise<State> {
  const recorded = record === undefined ? [] : await stillAlive(record, program);
  const running = program.findRunning();
  const unknown = running.filter(({ master }) => !recorded.some((it) => isSame(it.master, master)));
  const numbers = [...recorded, ...running].map(({ number }) => number ?? 0);
  const nextNumber = Math.max(
    fresh.nextNumber,
    record?.nextNumber ?? 1,
    ...numbers.map((number) => number + 1),
  );
  const alive = [...recorded, ...unknown.map((it, index) => aliveOf(it, recorded, nextNumber + index, now))];
  await program.cleanUpAllBut(alive.map(({ number }) => number));
  const listens = ({ master }: Alive): boolean =>
    running.some((it) => it.listens && isSame(it.master, master));
  const heir = heirOf(alive.filter(listens)) ?? heirOf(alive);
  const retiring = alive.filter((it) => it !== heir).map((it) => retiringOf(it, fresh, now));
  return {
    ...fresh,
    nextNumber: nextNumber + unknown.length,
    serving: heir === undefined ? undefined : servingOf(heir),
    retiring,
  };
}

/** The generation that served, or else the newest one without proof. */
function heirOf(alive: readonly Alive[]): Alive | undefined {
  const byNumber = alive.toSorted((a, b) => b.number - a.number);
  return byNumber.find(({ role }) => role === 'serving') ?? byNumber.find(({ role }) => role === 'starting');
}

function isSame(a: ProcessId, b: ProcessId): boolean {
  return a.pid === b.pid && a.startTicks === b.startTicks;
}

/** Treated as starting, because its record is missing. A worker without a master only drains. */
function aliveOf(
  { number, master, workers }: RunningGeneration,
  recorded: readonly Alive[],
  free: number,
  now: number,
): Alive {
  const isTaken = recorded.some((it) => it.number === number);
  return {
    config: 'live',
    configSha256: '',
    since: now,
    role: number === undefined ? 'retiring' : 'starting',
    number: number === undefined || isTaken ? free : number,
    master,
    workers: [...workers],
  };
}

type Alive = RecordedGeneration & { readonly master: ProcessId };

async function stillAlive(record: GenerationsRecord, program: ProxyDriver): Promise<readonly Alive[]> {
  const alive: Alive[] = [];
  for (const recorded of record.generations) {
    const master = recorded.master ?? (await findMaster(program, recorded.number));
    if (master === undefined || !isAlive(master)) continue;
    const workers = recorded.workers.length > 0 ? recorded.workers : [...childrenOf(master)];
    alive.push({ ...recorded, master, workers });
  }
  return alive;
}

/** Waits, because a supervisor may have been killed right after it started a program, before that opened the socket by which it is found. */
async function findMaster(program: ProxyDriver, generation: number): Promise<ProcessId | undefined> {
  for (let polls = 0; polls < STARTING_POLLS; polls += 1) {
    const master = await program.findMaster(generation);
    if (master !== undefined) return master;
    await pause(POLL_EVERY_MS);
  }
  return undefined;
}

function servingOf(recorded: Alive): Serving {
  const { number, master, workers, config, configSha256, revision, since } = recorded;
  return { number, master, workers, config, configSha256, revision, provenAt: since };
}

function retiringOf(recorded: Alive, state: State, now: number): Retiring {
  const { number, master, workers } = recorded;
  const terminateAt = recorded.terminateAt ?? now + state.limits.forceDeleteTimeoutMs;
  const since = recorded.terminateAt === undefined ? now : recorded.since;
  return drainUntil(
    { number, master, workers, reason: 'left-over', since, sent: 'soft-stop' },
    now,
    terminateAt,
  );
}
