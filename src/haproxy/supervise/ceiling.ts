import { logged } from '../../engine/supervise/step.ts';
import { CUT_SHORT_MS, drainUntil } from './retire.ts';
import type { Action, CutShort, Retiring, State } from './state.ts';

type Emit = (action: Action) => void;

/**
 * Generations with long sessions must not use up a machine. While more of them drain than the limits allow, the oldest ones are cut short: their
 * sessions are closed one by one within seconds. The number is checked whenever a generation was replaced.
 */
export function keepNumber(state: State, now: number, emit: Emit): State {
  const draining = withTime(state);
  const most = state.limits.mostDraining;
  const tooMany = draining.slice(0, Math.max(0, draining.length - most));
  return cutShort(state, tooMany, { limit: 'number', most, found: draining.length }, now, emit);
}

/** Like `keepNumber`, for measured resident memory. */
export function keepMemory(state: State, bytes: ReadonlyMap<number, number>, now: number, emit: Emit): State {
  const draining = withTime(state);
  const bytesOf = ({ number }: Retiring): number => bytes.get(number) ?? 0;
  const most = state.limits.mostDrainingBytes;
  const found = draining.reduce((sum, generation) => sum + bytesOf(generation), 0);
  let left = found;
  const tooMany = draining.filter((generation) => {
    const isOver = left > most;
    if (isOver) left -= bytesOf(generation);
    return isOver;
  });
  return cutShort(state, tooMany, { limit: 'memory', most, found }, now, emit);
}

/** The draining generations, oldest first, except those that are already being cut short. */
function withTime({ retiring }: State): readonly Retiring[] {
  return retiring
    .filter(({ sent, cutShort }) => sent === 'soft-stop' && cutShort === undefined)
    .toSorted((a, b) => a.number - b.number);
}

function cutShort(
  state: State,
  generations: readonly Retiring[],
  fields: { readonly limit: CutShort; readonly most: number; readonly found: number },
  now: number,
  emit: Emit,
): State {
  if (generations.length === 0) return state;
  for (const { number, since } of generations) {
    const drainedMs = Math.round(now - since);
    emit(logged('warn', 'generation-cut-short', { generation: number, ...fields, drainedMs }));
  }
  const retiring = state.retiring.map((generation): Retiring => {
    if (!generations.includes(generation)) return generation;
    const terminateAt = Math.min(generation.terminateAt, now + CUT_SHORT_MS);
    const hurried = drainUntil(generation, now, terminateAt);
    return { ...hurried, nextShedAt: Math.min(generation.nextShedAt, now), cutShort: fields.limit };
  });
  const last = { number: generations.at(-1)?.number ?? 0, limit: fields.limit, at: now };
  return { ...state, retiring, lastCutShort: last };
}
