import type { Source } from '../../sources/source.ts';
import type { ServerList } from './server-list.ts';

/** Feeds a list with what a source observes, and tells the loop each time, until `signal` aborts. */
export async function observeSource(
  source: Source,
  list: ServerList,
  poke: () => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const observation of source.observe(signal)) {
    list.observe(observation);
    poke();
  }
}
