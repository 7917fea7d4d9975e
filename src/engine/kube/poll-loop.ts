import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { sleep } from '../system/time/sleep.ts';
import type { ApiFailure, ApiTarget } from './api-request.ts';
import { listObjects } from './list-objects.ts';
import type { ListedObjects } from './object-store.ts';
import type { Resource } from './resource.ts';
import type { ListWatchTiming } from './timing.ts';
import type { LoopContext } from './watch-loop.ts';

/** Minimum timeout of a poll: a late one makes the session drop every watch of that API server. */
const MIN_POLL_TIMEOUT_MS = 2_000;

/**
 * Lists all resources every `intervalMs` in addition to the watch, and less often if they have many objects. The poll
 * confirms the watch and detects one that has gone silent. A hung API server costs one poll timeout.
 */
export async function runPollLoop<T>(
  resources: readonly Resource<T>[],
  intervalMs: number,
  context: LoopContext<T>,
): Promise<void> {
  const { session, view, signal } = context;
  const timeoutMs = pollTimeoutMs(intervalMs, context.timing);
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
      pauseMs = pollPauseMs(intervalMs, countObjects(found.answer.lists), context.timing);
    }
  }
}

/** The time limit of one request of a poll: the interval, but at least 2 s and never above `requestTimeoutMs`. */
export function pollTimeoutMs(
  intervalMs: number,
  { requestTimeoutMs }: Pick<ListWatchTiming, 'requestTimeoutMs'>,
): number {
  return Math.min(requestTimeoutMs, Math.max(intervalMs, MIN_POLL_TIMEOUT_MS));
}

/** The pause after a poll that listed this many objects: the interval, or longer for a long list, up to `resyncMs`. */
export function pollPauseMs(
  intervalMs: number,
  objects: number,
  { pollPauseMsPerObject, resyncMs }: Pick<ListWatchTiming, 'pollPauseMsPerObject' | 'resyncMs'>,
): number {
  return Math.max(intervalMs, Math.min(objects * pollPauseMsPerObject, resyncMs));
}

function countObjects(lists: ReadonlyMap<unknown, ListedObjects<unknown>>): number {
  return [...lists.values()].reduce((sum, { objects }) => sum + objects.size, 0);
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
