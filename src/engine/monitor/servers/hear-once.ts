import type { Wake } from '../../system/time/wake.ts';
import type { Loops } from '../run-monitor.ts';
import type { ServerList } from './server-list.ts';

/** Lists that are not fed yet. */
interface Opened {
  readonly lists: readonly ServerList[];
  readonly loops: Loops;
  /** Is poked at each observation. */
  readonly wake: Wake;
}

/**
 * Feeds lists until each has an answer or a failure of the API. They then decide as in a monitor that resumed with the lists of an earlier run.
 * Returns a function that says why a list is not the API's, to be called after the decision; `what` names the content of the lists.
 */
export async function hearOnce(
  what: string,
  { lists, loops, wake }: Opened,
  timeoutMs: number,
): Promise<() => readonly string[]> {
  const done = new AbortController();
  const late = AbortSignal.timeout(timeoutMs);
  const resumed = lists.map((list) => list.resume());
  const running = Object.values(loops).map((loop) => loop(done.signal));
  while (!late.aborted && lists.some((list) => list.heard() === undefined)) await wake.sleep(timeoutMs, late);
  done.abort();
  await Promise.all(running);
  const message = `no API server answered within ${timeoutMs} ms`;
  for (const list of lists) if (list.heard() === undefined) list.observe({ kind: 'unavailable', message });
  return () =>
    lists.flatMap((list, index) => {
      const why = troubleOf(what, list);
      if (why === undefined) return [];
      return resumed[index] ? `${why}; the last list that was served counts` : why;
    });
}

function troubleOf(what: string, list: ServerList): string | undefined {
  const [heard, { held }] = [list.heard(), list.view()];
  if (heard?.kind === 'unavailable') return `no list of ${what} from the API: ${heard.message}`;
  return held === null ? undefined : `the API's list of ${what} is held back: ${held}`;
}
