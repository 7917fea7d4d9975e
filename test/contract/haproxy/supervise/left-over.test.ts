import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProcessId, readProcess } from '../../../../src/engine/system/process/processes.ts';
import type { ProxyDriver, RunningGeneration } from '../../../../src/haproxy/program.ts';
import { initialState } from '../../../../src/haproxy/supervise/initial-state.ts';
import { adopt } from '../../../../src/haproxy/supervise/left-over.ts';
import type { GenerationsRecord, RecordedGeneration } from '../../../../src/haproxy/supervise/record.ts';
import { limits } from '../../../helpers/supervisor-model.ts';

let child: ChildProcess;
let alive: ProcessId;
let kept: readonly number[];

beforeEach(() => {
  child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const found = readProcess(child.pid ?? 0);
  if (found === undefined) throw new Error('Cannot read the child: it is gone, expected it to sleep');
  alive = found.id;
  kept = [-1];
});
afterEach(() => void child.kill('SIGKILL'));

const now = 50_000;
const fresh = initialState(limits, { nextNumber: 1, hasLastGood: false });
const dead: ProcessId = { pid: 2 ** 22 + 1, startTicks: 1 };
const reused = (): ProcessId => ({ ...alive, startTicks: alive.startTicks - 1 });

function program(
  findMaster: ProxyDriver['findMaster'] = async () => undefined,
  running: readonly RunningGeneration[] = [],
): ProxyDriver {
  const unused = (): never => {
    throw new Error('Cannot do this: an adoption has no use for it');
  };
  return {
    hasConfiguration: unused,
    hasLastGood: unused,
    check: unused,
    saveState: unused,
    start: unused,
    prove: unused,
    keepLastGood: unused,
    fileSha256: unused,
    countSessions: unused,
    countRequests: unused,
    endSessions: unused,
    answers: unused,
    describeServing: unused,
    serverStatistics: unused,
    setAside: unused,
    endSessionsOfLostServers: unused,
    change: unused,
    drift: unused,
    missingCommands: unused,
    giveNotice: unused,
    checkCandidate: unused,
    listensAlone: unused,
    findMaster,
    findRunning: () => running,
    cleanUp: unused,
    cleanUpAllBut: async (generations) => {
      kept = generations;
    },
  };
}

const generation = (
  number: number,
  role: RecordedGeneration['role'],
  master?: ProcessId,
): RecordedGeneration => ({
  number,
  role,
  workers: [],
  config: 'live',
  configSha256: 'abc',
  since: 40_000,
  ...(master === undefined ? {} : { master }),
});
const recordOf = (...generations: RecordedGeneration[]): GenerationsRecord => ({
  nextNumber: 9,
  generations,
});

test('the serving generation continues to serve, and the numbering continues', async () => {
  const state = await adopt(fresh, recordOf(generation(8, 'serving', alive)), program(), now);
  expect(state).toMatchObject({ nextNumber: 9, retiring: [], serving: { number: 8, master: alive } });
});

test('an unproven generation serves if no other is left', async () => {
  const record = recordOf(generation(7, 'serving', dead), generation(8, 'starting', alive));
  const state = await adopt(fresh, record, program(), now);
  expect(state.serving).toMatchObject({ number: 8 });
  expect(kept).toEqual([8]);
});

test('other live generations retire by their recorded deadlines', async () => {
  const record = recordOf(generation(7, 'serving', alive), generation(8, 'starting', alive), {
    ...generation(6, 'retiring', alive),
    terminateAt: 60_000,
  });
  const { serving, retiring } = await adopt(fresh, record, program(), now);
  expect(serving?.number).toBe(7);
  expect(retiring).toMatchObject([
    { number: 8, reason: 'left-over', since: now, terminateAt: now + limits.forceDeleteTimeoutMs },
    { number: 6, reason: 'left-over', since: 40_000, terminateAt: 60_000 },
  ]);
});

test('dead processes and reused pids are dropped and cleaned up', async () => {
  const record = recordOf(generation(7, 'serving', dead), generation(8, 'retiring', reused()));
  const state = await adopt(fresh, record, program(), now);
  expect(state).toMatchObject({ serving: undefined, retiring: [], nextNumber: 9 });
  expect(kept).toEqual([]);
});

test('a process that was started but not yet recorded is waited for until it answers', async () => {
  let looks = 0;
  const found = program(async () => {
    looks += 1;
    return looks < 3 ? undefined : alive;
  });
  const state = await adopt(fresh, recordOf(generation(8, 'starting')), found, now);
  expect(state.serving).toMatchObject({ number: 8, master: alive });
});

test('a generation that was recorded but never started is not waited for endlessly', async () => {
  const state = await adopt(fresh, recordOf(generation(8, 'starting')), program(), now);
  expect(state.serving).toBeUndefined();
  expect(kept).toEqual([]);
});

const running = (number: number | undefined, master: ProcessId, listens = true): RunningGeneration => ({
  number,
  master,
  workers: [],
  listens,
});

test('without a record, the running generation that accepts connections serves, and others retire', async () => {
  const found = program(undefined, [
    running(3, reused(), false),
    running(4, alive),
    running(undefined, dead),
  ]);
  const state = await adopt(fresh, undefined, found, now);
  expect(state).toMatchObject({ serving: { number: 4, master: alive }, nextNumber: 8 });
  expect(state.retiring.map(({ number }) => number)).toEqual([3, 7]);
  expect(kept).toEqual([3, 4, 7]);
});

test('an outdated record does not make a draining generation the serving one', async () => {
  const newer = { ...alive, startTicks: alive.startTicks + 1 };
  const found = program(undefined, [running(8, alive, false), running(9, newer)]);
  const state = await adopt(fresh, recordOf(generation(8, 'serving', alive)), found, now);
  expect(state).toMatchObject({ serving: { number: 9 }, retiring: [{ number: 8 }], nextNumber: 11 });
});

test('a number that another generation has is not reused', async () => {
  const other = { ...alive, startTicks: alive.startTicks + 1 };
  const found = program(undefined, [running(8, alive), running(8, other)]);
  const { serving, retiring } = await adopt(fresh, recordOf(generation(8, 'serving', alive)), found, now);
  expect(serving?.number).toBe(8);
  expect(retiring.map(({ number }) => number)).toEqual([9]);
});
