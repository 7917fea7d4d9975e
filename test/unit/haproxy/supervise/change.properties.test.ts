import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChangeRequest } from '../../../../src/haproxy/runtime/change.ts';
import type { Action, Event } from '../../../../src/haproxy/supervise/state.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { createMachine, processOf, workersOf } from '../../../helpers/supervisor-model.ts';

type Move =
  | { readonly kind: 'edit'; readonly by: 'reload' | 'file first' | 'change first' }
  | { readonly kind: 'finish'; readonly which: number; readonly well: boolean }
  | { readonly kind: 'die' | 'tick' };

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      by: fc.constantFrom('reload', 'file first', 'change first'),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('finish' as const), which: fc.nat(9), well: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('die' as const, 'tick' as const) }) },
);

/** The file is written before the change, or after its answer. Each HAProxy serves the file it has read, plus its runtime updates. */
function createWorld() {
  const machine = createMachine();
  const pending: ((well: boolean) => void)[] = [];
  const serves = new Map<number, string>();
  const answers: unknown[] = [];
  /** The step after the answer to a change that preceded its file. */
  const then = new Map<number, () => void>();
  let file = 'v0';
  let version = 0;
  let asked = 0;
  const send = (event: Event): void => {
    for (const action of machine.send(event)) react(action);
  };
  const react = (action: Action): void => {
    if (action.kind === 'check') pending.push(() => send({ kind: 'checked', failure: undefined }));
    if (action.kind === 'save-state') pending.push(() => send({ kind: 'state-saved' }));
    if (action.kind === 'start') {
      const { number } = action;
      const revision = file;
      pending.push(() => {
        serves.set(number, revision);
        pending.push((well) => end(number, well));
        send({
          kind: 'started',
          number,
          master: processOf(number),
          configSha256: revision,
          revision,
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
    const isMade = !('stage' in action.result);
    for (const request of action.requests)
      pending.push(() => {
        then.get(request)?.();
        then.delete(request);
        // A refused change is loaded, as a deployer does.
        if (!isMade) reload();
      });
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
    // A deployer does one thing at a time. An operator may request a reload at any time.
    if (pending.length > 0 || answers.length < asked || then.size > 0) {
      reload();
      return;
    }
    const from = file;
    version += 1;
    const next = `v${version}`;
    const changes = [{ kind: 'server' as const, server: next, wanted: null }];
    if (move.by === 'change first') {
      then.set(asked + 1, () => {
        file = next;
      });
      order({ from, to: next, changes });
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

/** HAWSER_INTERLEAVINGS sets a higher number. Each run has up to forty changes, reloads, deaths and outcomes in any order. */
const numRuns = Number(process.env['HAWSER_INTERLEAVINGS'] ?? runs(400));

test('no change is lost, whatever the order of changes, reloads, deaths and outcomes', () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 40 }), (played) => {
      const world = createWorld();
      for (const move of played) world.play(move);
      world.settle();
      const { serving } = world.machine.state;
      expect(serving?.revision).toBe(world.file());
      expect(world.serves.get(serving?.number ?? 0)).toBe(world.file());
      expect(world.answers.toSorted()).toEqual(
        Array.from({ length: world.asked() }, (_, i) => i + 1).toSorted(),
      );
    }),
    { numRuns },
  );
});
