import type { Wake } from '../../system/time/wake.ts';
import type { Loops } from '../run-monitor.ts';
import type { ServerList } from './server-list.ts';

/** Lists and the loops that will feed them. */
interface Opened {
  readonly lists: readonly ServerList[];
  readonly loops: Loops;
  /** Woken by each observation. */
  readonly wake: Wake;
}

/**
 * Runs the loops until each list has an observation or the timeout expires. The lists then decide as in a monitor that started with the lists of an
 * earlier run. Returns a function to call after the decision; it returns a line for each list that is not the API's current one. `what` names the
 * content of the lists.
 */
export async function observeOnce(
  what: string,
  { lists, loops, wake }: Opened,
  timeoutMs: number,
): Promise<() => readonly string[]> {
  const done = new AbortController();
  const late = AbortSignal.timeout(timeoutMs);
  const resumed = lists.map((list) => list.resume());
  const running = Object.values(loops).map((loop) => loop(done.signal));
  while (!late.aborted && lists.some((list) => list.lastObservation() === undefined))
    await wake.sleep(timeoutMs, late);
  done.abort();
  await Promise.all(running);
  const message = `no API server answered within ${timeoutMs} ms`;
  for (const list of lists)
    if (list.lastObservation() === undefined) list.observe({ kind: 'unavailable', message });
  return () =>
    lists.flatMap((list, index) => {
      const why = troubleOf(what, list);
      if (why === undefined) return [];
      return resumed[index] ? `${why}; the last served list is used` : why;
    });
}

function troubleOf(what: string, list: ServerList): string | undefined {
  const observation = list.lastObservation();
  if (observation?.kind === 'unavailable') return `no list of ${what} from the API: ${observation.message}`;
  const { held } = list.view();
  return held === null ? undefined : `the API's list of ${what} is held back: ${held}`;
}
