import type { Source } from '../../kube/control-plane/source.ts';
import type { ServerList } from './server-list.ts';

/** Passes a source's observations to a list and wakes the loop after each, until `signal` aborts. */
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
