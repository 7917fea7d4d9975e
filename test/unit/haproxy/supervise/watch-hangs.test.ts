import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ProcessId, readProcess } from '../../../../src/engine/system/process/processes.ts';
import type { Event, Serving } from '../../../../src/haproxy/supervise/state.ts';
import { lifeWithout, watchHangs } from '../../../../src/haproxy/supervise/watch-hangs.ts';
import { serving } from '../../../helpers/supervisor-model.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['has slept since the last poll', {}, { lives: false, hangs: 'worker' }],
  ['woke since the last poll', { sleeps: 6 }, { lives: true, busyMs: 0 }],
  ['runs', { state: 'R', cpuMs: 350 }, { lives: true, busyMs: 250 }],
  ['waits inside the kernel', { state: 'D' }, { lives: true, busyMs: 0 }],
  ['runs in a thread that is younger than the question', { tid: 2, state: 'R' }, { lives: true, busyMs: 0 }],
])('the life of a worker with an unanswered question that %s: %j', (_what, changes, life) => {
  const question = { cpuMs: new Map([[1, 100]]), sleeps: 5, asked: 1 };
  const thread = { tid: 1, state: 'S', cpuMs: 100, sleeps: 5, ...changes };
  expect(lifeWithout(question, [thread])).toEqual(life);
});

test('a worker whose threads cannot be read is no hung worker', () => {
  expect(lifeWithout({ cpuMs: new Map([[1, 100]]), sleeps: 5, asked: 1 }, [])).toEqual({ lives: true });
});

test('a worker is watched after its master has died', () => {
  const self = readProcess(process.pid)?.id as ProcessId;
  const gone = { pid: 2 ** 22 + 1, startTicks: 0 };
  const { state } = serving();
  const orphaned = { ...(state.serving as Serving), master: gone, workers: [self] };
  const events: Event[] = [];
  const watch = watchHangs(
    { answers: () => new Promise(() => undefined) },
    { state: () => ({ ...state, serving: orphaned }), dispatch: (event) => void events.push(event) },
  );
  vi.advanceTimersByTime(600);
  watch.stop();
  expect(events).toMatchObject([
    { lives: true },
    { lives: true },
    { lives: true, busyMs: expect.any(Number) },
  ]);
});
