import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { sleep } from '../system/time/sleep.ts';
import type { ApiFailure, ApiTarget } from './api-request.ts';
import { listObjects } from './list-objects.ts';
import type { ListedObjects } from './object-store.ts';
import type { Resource } from './resource.ts';
import type { LoopContext } from './watch-loop.ts';

/**
 * Lists all resources every `intervalMs`, beside the watch, and less often where they have many objects. The poll confirms
 * the watch, and finds one that has gone silent. A hung API costs one request timeout for each base.
 */
export async function runPollLoop<T>(
  resources: readonly Resource<T>[],
  intervalMs: number,
  context: LoopContext<T>,
): Promise<void> {
  const { session, view, signal } = context;
  const timeoutMs = Math.min(context.timing.requestTimeoutMs, intervalMs);
  for (let pauseMs = intervalMs; ; ) {
    await sleep(pauseMs, signal);
    if (signal.aborted) return;
    const beganAtMs = monotonicMs();
    const asked = new Map(resources.map((each) => [each, view.resourceVersion(each)]));
    const found = await session.firstAnswer(
      (target) => listEvery(target, resources, { ...context, timeoutMs }),
      signal,
    );
    if (signal.aborted) return;
    pauseMs = intervalMs;
    if (found.kind === 'failure') {
      view.unavailable(found, beganAtMs);
      if (found.isTooLarge) pauseMs = Math.max(intervalMs, context.timing.tooLargePauseMs);
    } else {
      view.polled(found.answer.lists, asked, found.target.base.url);
      pauseMs = Math.max(intervalMs, pauseForSize(found.answer.lists, context.timing));
    }
  }
}

function pauseForSize(
  lists: ReadonlyMap<unknown, ListedObjects<unknown>>,
  { pollPauseMsPerObject, resyncMs }: LoopContext<unknown>['timing'],
): number {
  const listed = [...lists.values()].reduce((sum, { objects }) => sum + objects.size, 0);
  return Math.min(listed * pollPauseMsPerObject, resyncMs);
}

/** One base must answer for all resources: lists of different servers may be from different moments. */
async function listEvery<T>(
  target: ApiTarget,
  resources: readonly Resource<T>[],
  limits: Pick<LoopContext<T>, 'signal' | 'timing'> & { readonly timeoutMs: number },
): Promise<
  { readonly kind: 'all'; readonly lists: ReadonlyMap<Resource<T>, ListedObjects<T>> } | ApiFailure
> {
  const lists = new Map<Resource<T>, ListedObjects<T>>();
  for (const resource of resources) {
    const answer = await listObjects(target, resource, limits);
    if (answer.kind === 'failure')
      return { ...answer, message: `Cannot list ${resource.what}: ${answer.message}` };
    lists.set(resource, answer);
  }
  return { kind: 'all', lists };
}
