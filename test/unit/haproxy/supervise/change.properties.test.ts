import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChangeRequest } from '../../../../src/haproxy/runtime/change.ts';
import type { Action, Event } from '../../../../src/haproxy/supervise/state.ts';
import { createMachine, processOf, workersOf } from '../../../helpers/supervisor-model.ts';

type Move =
  | { readonly kind: 'edit'; readonly by: 'reload' | 'change' | 'told first' }
  | { readonly kind: 'finish'; readonly which: number; readonly well: boolean }
  | { readonly kind: 'die' | 'tick' };

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      by: fc.constantFrom('reload', 'change', 'told first'),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('finish' as const), which: fc.nat(9), well: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('die' as const, 'tick' as const) }) },
);

/** Either the file is written before the request, or a request precedes it and another follows it. Each HAProxy serves what it has read, plus its runtime updates. */
function createWorld() {
  const machine = createMachine();
  const pending: ((well: boolean) => void)[] = [];
  const serves = new Map<number, string>();
  const answers: unknown[] = [];
  /** The step after the answer to a change made ahead of its file. */
  const then = new Map<number, (isMade: boolean) => void>();
  let [file, version, asked] = ['v0', 0, 0];
  const send = (event: Event): void => {
    for (const action of machine.send(event)) react(action);
  };
  const react = (action: Action): void => {
    if (action.kind === 'check') pending.push(() => send({ kind: 'checked', failure: undefined }));
    if (action.kind === 'save-state') pending.push(() => send({ kind: 'state-saved' }));
    if (action.kind === 'start') {
      const { number } = action;
      const configSha256 = file;
      // HAProxy reads the file a moment after its hash was taken.
      pending.push(() => {
        serves.set(number, file);
        pending.push((well) => end(number, well));
        send({
          kind: 'started',
          number,
          master: processOf(number),
          configSha256,
          configBytes: 1,
          setFiles: 0,
        });
      });
    }
    if (action.kind === 'change') {
      const { number } = action.serving;
      const [change] = action.request.changes;
      const to = change?.kind === 'server' ? change.server : '';
      pending.push((well) => {
        if (well) serves.set(number, to);
        const outcome = well
          ? ({ kind: 'changed', commands: 1 } as const)
          : ({ kind: 'refused', reason: 'no' } as const);
        send({ kind: 'changed', number, outcome });
      });
    }
    if (action.kind !== 'answer') return;
    answers.push(...action.requests);
    const { requests, result } = action;
    const [told] = requests.flatMap((request) => then.get(request) ?? []);
    // What was refused is asked for again, as a monitor does.
    if (told !== undefined) pending.push(() => told('atRunTime' in result));
    else if ('stage' in result) pending.push(() => reload());
  };
  const tick = (): void => {
    const { length } = machine.actions;
    if (machine.tickAtDeadline()) for (const action of machine.actions.slice(length)) react(action);
  };
  const reload = (): void => {
    asked += 1;
    send({ kind: 'requested', request: asked });
  };
  const order = (change: ChangeRequest): void => {
    asked += 1;
    send({ kind: 'change-requested', request: asked, change });
  };
  const end = (number: number, well: boolean): void =>
    send(
      well
        ? { kind: 'proven', number, workers: workersOf(number), isAlone: true }
        : { kind: 'exited', number, how: 'exit code 1' },
    );
  const play = (move: Move): void => {
    const { serving } = machine.state;
    if (move.kind === 'finish') pending.splice(move.which % Math.max(1, pending.length), 1)[0]?.(move.well);
    if (move.kind === 'die' && serving !== undefined)
      send({ kind: 'exited', number: serving.number, how: 'signal SIGKILL' });
    if (move.kind === 'tick') tick();
    if (move.kind !== 'edit') return;
    const from = file;
    version += 1;
    const next = `v${version}`;
    const changes = [{ kind: 'server' as const, server: next, wanted: null }];
    if (move.by === 'told first') {
      const to = `told-${next}`;
      then.set(asked + 1, (isMade) => {
        file = next;
        if (isMade) order({ from: to, to: file, changes: [] });
        else reload();
      });
      order({ from, to, ahead: true, changes });
      return;
    }
    file = next;
    if (move.by === 'reload') reload();
    else order({ from, to: file, changes });
  };
  const settle = (): void => {
    for (
      let step = 0;
      step < 2_000 && (pending.length > 0 || machine.state.serving === undefined);
      step += 1
    ) {
      if (pending.length > 0) pending.shift()?.(true);
      else tick();
    }
  };
  send({ kind: 'booted', hasConfiguration: true });
  return { machine, play, settle, answers, asked: () => asked, file: () => file, serves };
}

/** More with HAWSER_INTERLEAVINGS: each is a history of up to forty changes, reloads, deaths and outcomes in any order. */
const numRuns = Number(process.env['HAWSER_INTERLEAVINGS'] ?? 400);

test('no change is lost, in whatever order changes, reloads, deaths and outcomes come', () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 40 }), (played) => {
      const world = createWorld();
      for (const move of played) world.play(move);
      world.settle();
      const { serving } = world.machine.state;
      expect(serving?.configSha256).toBe(world.file());
      expect(world.serves.get(serving?.number ?? 0)).toBe(world.file());
      expect(world.answers.toSorted()).toEqual(
        Array.from({ length: world.asked() }, (_, i) => i + 1).toSorted(),
      );
    }),
    { numRuns },
  );
});
