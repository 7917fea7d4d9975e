import type { Load } from '../../helpers/load/start-load.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { generationText } from './configuration.ts';

/** Milliseconds from `sentAtMs` to the first answer from this version of the file or a newer one, up to `newest`. */
export function servingMs(
  prober: Load,
  sent: { readonly generation: number; readonly sentAtMs: number },
  newest: number,
): number | undefined {
  const times: number[] = [];
  for (let generation = sent.generation; generation <= newest; generation += 1) {
    const atMs = prober.servedAtMs(generationText(generation));
    if (atMs !== undefined) times.push(atMs - sent.sentAtMs);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Resolves with false if it was not served within `deadlineMs`. */
export async function isServedWithin(prober: Load, generation: number, deadlineMs: number): Promise<boolean> {
  const served = () => prober.servedAtMs(generationText(generation)) !== undefined;
  return await waitFor(`version ${generation} to be served`, served, deadlineMs).catch(() => false);
}
