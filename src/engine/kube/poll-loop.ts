import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { ApiFailure, ApiTarget } from './api-request.ts';
import { listObjects, type Resource } from './list-objects.ts';
import type { ListedObjects } from './object-store.ts';
import type { LoopContext } from './watch-loop.ts';

/**
 * Lists all resources every `checkIntervalMs`, beside the watch. The poll confirms the watch, finds a watch that has
 * gone silent, and is what the loss guard counts. A hung API costs one request timeout for each base.
 */
export async function runPollLoop(
  resources: readonly Resource[],
  checkIntervalMs: number,
  context: LoopContext,
): Promise<void> {
  const { session, view, signal } = context;
  const timeoutMs = Math.min(context.timing.requestTimeoutMs, checkIntervalMs);
  for (;;) {
    await pause(checkIntervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const beganAtMs = monotonicMs();
    const found = await session.firstAnswer(
      (target) => listEvery(target, resources, { ...context, timeoutMs }),
      signal,
    );
    if (signal.aborted) return;
    if (found.kind === 'failure') view.unavailable(found, beganAtMs);
    else view.polled(found.answer.lists, found.target.base.url);
  }
}

/** One base must answer for all resources: lists of different servers may be from different moments. */
async function listEvery(
  target: ApiTarget,
  resources: readonly Resource[],
  limits: Pick<LoopContext, 'signal' | 'timing'> & { readonly timeoutMs: number },
): Promise<{ readonly kind: 'all'; readonly lists: ReadonlyMap<Resource, ListedObjects> } | ApiFailure> {
  const lists = new Map<Resource, ListedObjects>();
  for (const resource of resources) {
    const answer = await listObjects(target, resource, limits);
    if (answer.kind === 'failure')
      return { ...answer, message: `Cannot list ${resource.what}: ${answer.message}` };
    lists.set(resource, answer);
  }
  return { kind: 'all', lists };
}
