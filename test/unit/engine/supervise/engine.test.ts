import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEngine, type Decisions, type Engine } from '../../../../src/engine/supervise/engine.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Event =
  | { readonly kind: 'do'; readonly names: readonly string[] }
  | { readonly kind: 'due'; readonly at: number | undefined }
  | { readonly kind: 'failed'; readonly name: string }
  | { readonly kind: 'tick' | 'undecidable' };
interface State {
  readonly events: readonly string[];
  readonly dueAt: number | undefined;
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1_000_000;

const decisions: Decisions<State, Event, string> = {
  advance: (state, event) => {
    if (event.kind === 'undecidable') throw new Error('no rule for it');
    const dueAt = event.kind === 'due' ? event.at : event.kind === 'tick' ? undefined : state.dueAt;
    const next = { events: [...state.events, event.kind], dueAt };
    return { state: next, actions: event.kind === 'do' ? event.names : [] };
  },
  nextDeadline: ({ dueAt }) => dueAt,
  tick: { kind: 'tick' },
  limitMs: () => 60_000,
};

interface Scene {
  readonly engine: Engine<State, Event>;
  /** Names of the started actions, in order. */
  readonly begun: readonly string[];
  readonly reported: readonly string[];
}

/** The name of an action is what it does; `once` throws only the first time. */
function scene(
  overrides: Partial<Decisions<State, Event, string>> = {},
  keep = (): void => undefined,
): Scene {
  const begun: string[] = [];
  const reported: string[] = [];
  const act = (action: string): Promise<void> | void => {
    begun.push(action);
    const isFirst = begun.filter((it) => it === action).length === 1;
    if (action === 'throws' || (action === 'throws-once' && isFirst)) throw new Error('EIO');
    if (action === 'rejects') return Promise.reject(new Error('EIO'));
    if (action === 'never-ends') return new Promise(() => undefined);
  };
  const engine = createEngine<State, Event, string>(
    { events: [], dueAt: undefined },
    { ...decisions, ...overrides },
    {
      keep,
      act,
      failed: (what) => {
        reported.push(what.during === 'action' ? what.action : what.during);
        if (what.during !== 'action') return undefined;
        return what.action === 'throws-once' ? 'again' : { kind: 'failed', name: what.action };
      },
    },
  );
  return { engine, begun, reported };
}

test('an action that throws affects neither the rest of its step nor later events and ticks', async () => {
  const { engine, begun, reported } = scene();
  engine.dispatch({ kind: 'do', names: ['throws', 'next'] });
  engine.dispatch({ kind: 'do', names: ['later'] });
  expect(begun).toEqual(['throws', 'next', 'later']);
  expect(reported).toEqual(['throws']);
  engine.dispatch({ kind: 'due', at: nowMs() + 500 });
  await vi.advanceTimersByTimeAsync(600);
  expect(engine.state().events).toEqual(['do', 'failed', 'do', 'due', 'tick']);
});

test.each(['throws', 'rejects'])('an action that %s has the failure as its outcome', async (name) => {
  const { engine } = scene();
  engine.dispatch({ kind: 'do', names: [name] });
  await vi.advanceTimersByTimeAsync(0);
  expect(engine.state().events).toEqual(['do', 'failed']);
});

test('an action that must be repeated is repeated a second later', async () => {
  const { engine, begun } = scene();
  engine.dispatch({ kind: 'do', names: ['throws-once'] });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun).toEqual(['throws-once', 'throws-once']);
});

test('an action without an outcome fails after its limit', async () => {
  const { engine } = scene();
  engine.dispatch({ kind: 'do', names: ['never-ends'] });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(engine.state().events).toEqual(['do']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(engine.state().events).toEqual(['do', 'failed']);
});

test('a state that cannot be recorded is reported, and its actions are carried out', () => {
  const { engine, begun, reported } = scene({}, () => {
    throw new Error('ENOSPC');
  });
  engine.dispatch({ kind: 'do', names: ['next'] });
  expect([begun, reported]).toEqual([['next'], ['record']]);
});

test('an event whose decision throws changes nothing, and the next one is handled', () => {
  const { engine, reported } = scene();
  engine.dispatch({ kind: 'undecidable' });
  engine.dispatch({ kind: 'do', names: [] });
  expect(engine.state().events).toEqual(['do']);
  expect(reported).toEqual(['decision']);
});

test('a failure that cannot be reported stops nothing', () => {
  const begun: string[] = [];
  const engine = createEngine<State, Event, string>({ events: [], dueAt: undefined }, decisions, {
    keep: () => undefined,
    act: (action) => {
      begun.push(action);
      throw new Error('EIO');
    },
    failed: () => {
      throw new Error('the log is full');
    },
  });
  engine.dispatch({ kind: 'do', names: ['one', 'two'] });
  engine.dispatch({ kind: 'do', names: ['three'] });
  expect(begun).toEqual(['one', 'two', 'three']);
});

test('a deadline whose decision throws is retried every second, and is trouble after ten', async () => {
  const { engine, reported } = scene({ tick: { kind: 'undecidable' } });
  engine.dispatch({ kind: 'due', at: nowMs() + 100 });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(engine.trouble()).toBeUndefined();
  expect(reported.length).toBeLessThanOrEqual(10);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(engine.trouble()).toMatch(/^the supervisor's next action has been overdue for 1\d s/);
  engine.dispatch({ kind: 'due', at: undefined });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(engine.trouble()).toBeUndefined();
});

test('a deadline that is not due yet is no trouble', async () => {
  const { engine } = scene();
  engine.dispatch({ kind: 'due', at: nowMs() + 60_000 });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(engine.trouble()).toBeUndefined();
});

test('a deadline that throws does not stop the engine', async () => {
  let broken = true;
  const { engine, begun } = scene({
    nextDeadline: ({ dueAt }) => {
      if (broken) throw new Error('no number');
      return dueAt;
    },
  });
  engine.dispatch({ kind: 'do', names: ['one'] });
  broken = false;
  await vi.advanceTimersByTimeAsync(1_500);
  engine.dispatch({ kind: 'do', names: ['two'] });
  expect(begun).toEqual(['one', 'two']);
  expect(engine.state().events).toEqual(['do', 'tick', 'do']);
});
