import { residentBytes } from '../../engine/system/process/processes.ts';
import type { Event, State } from './state.ts';

const POLL_EVERY_MS = 1_000;

/** Measures the memory of the draining generations, once per second while there are any. */
export function watchMemory(engine: {
  readonly state: () => State;
  readonly dispatch: (event: Event) => void;
}): { readonly stop: () => void } {
  const timer = setInterval(() => {
    const { retiring } = engine.state();
    if (retiring.length === 0) return;
    const bytes = new Map(
      retiring.map(({ number, master, workers }) => [number, residentBytes([master, ...workers])] as const),
    );
    engine.dispatch({ kind: 'measured', bytes });
  }, POLL_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
