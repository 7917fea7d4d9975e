import type { ResourceEvent } from '../engine/kube/resource-view.ts';
import { proxyRemedy } from './resources.ts';

/** An API server restarts within this time. */
const LASTING_MS = 60_000;

export type Troubles = ReturnType<typeof createTroubles>;

/** Why the API's lists cannot be read, with the remedy. */
export function createTroubles(nowMs: () => number) {
  const troubles = new Map<
    unknown,
    { readonly message: string; readonly isRefused: boolean; readonly sinceMs: number }
  >();
  return {
    /** Must be called with every event of a list. */
    note: (list: unknown, event: ResourceEvent): void => {
      if (event.kind === 'available') troubles.delete(list);
      if (event.kind !== 'unavailable') return;
      const message = [event.message, proxyRemedy(event.message)].filter(Boolean).join(', ');
      const sinceMs = troubles.get(list)?.sinceMs ?? nowMs();
      troubles.set(list, { message, isRefused: event.status === 403, sinceMs });
    },
    any: (): string | undefined => [...troubles.values()][0]?.message,
    /** A trouble because of which known objects may be outdated: a refusal at once, any other after a minute. */
    lasting: (): string | undefined =>
      [...troubles.values()].find(({ isRefused, sinceMs }) => isRefused || nowMs() - sinceMs >= LASTING_MS)
        ?.message,
  };
}
