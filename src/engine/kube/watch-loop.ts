import { messageOf } from '../system/errors.ts';
import { overLimit } from '../system/limit.ts';
import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { patientTimer } from '../system/time/patient-timeout.ts';
import { scatteredPauseMs } from '../system/time/retry.ts';
import { sleep } from '../system/time/sleep.ts';
import { type ApiFailure, type ApiTarget, openStream } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import { listObjects } from './list-objects.ts';
import { isOlder, type ListedObjects } from './object-store.ts';
import { type Outage, trackOutage } from './outage.ts';
import { queryPath, type Resource } from './resource.ts';
import type { ResourceView } from './resource-view.ts';
import type { ListWatchTiming } from './timing.ts';
import { readWatch } from './watch-stream.ts';

interface LoopContext<T> {
  readonly session: ApiSession;
  readonly view: ResourceView<T>;
  readonly report: Log;
  readonly signal: AbortSignal;
  readonly timing: ListWatchTiming;
}

/** The start of the next watch. */
interface Position {
  readonly resourceVersion: string;
  /** Monotonic. */
  readonly listedAtMs: number;
}

/**
 * Lists and watches a resource until the signal aborts. A watch that the server ends normally is resumed. After 410, after any failure, and
 * `resyncMs` after the last list, the resource is listed again. A watch that lived for `healthyWatchMs` resets the backoff.
 */
export async function runWatchLoop<T>(resource: Resource<T>, context: LoopContext<T>): Promise<void> {
  const { timing, signal, report } = context;
  const names = { failed: 'watch-interrupted', recovered: 'watch-recovered' };
  const outage = trackOutage(report, names, { what: resource.what });
  const absence = trackOutage(
    report,
    { failed: 'kind-absent', recovered: 'kind-found' },
    { what: resource.what },
  );
  const pauses = { firstMs: timing.backoffFirstMs, longestMs: timing.backoffCapMs };
  let tries = 0;
  let position: Position | undefined;
  while (!signal.aborted) {
    position ??= await list(resource, context, absence);
    const startedMs = monotonicMs();
    if (position !== undefined) position = await watchFrom(position, resource, context, outage);
    tries = monotonicMs() - startedMs >= timing.healthyWatchMs ? 1 : tries + 1;
    await sleep(scatteredPauseMs(tries, pauses), signal);
  }
}

async function list<T>(
  resource: Resource<T>,
  context: LoopContext<T>,
  absence: Outage,
): Promise<Position | undefined> {
  const { view, signal, timing } = context;
  const beganAtMs = monotonicMs();
  const result = await confirmedList(resource, context);
  if (signal.aborted) return undefined;
  if (result.kind === 'failure' && isAbsent(resource, result, context)) {
    absence.failed(`Cannot list ${resource.what}: the API does not know this kind`);
    if (view.resourceVersion(resource) === undefined)
      view.relisted(resource, { resourceVersion: '', objects: new Map() }, '');
    return undefined;
  }
  if (result.kind === 'failure') {
    view.unavailable({ ...result, message: `Cannot list ${resource.what}: ${result.message}` }, beganAtMs);
    if (result.isTooLarge) await sleep(timing.tooLargePauseMs, signal);
    return undefined;
  }
  absence.succeeded();
  const { resourceVersion } = result.answer;
  view.relisted(resource, result.answer, result.target.base.url);
  return { resourceVersion, listedAtMs: beganAtMs };
}

/**
 * Lists, and lists once more if the first list lacks most of the known objects. An API server whose etcd was restored or lost objects, or that
 * answers before it has read them, must not remove everything. There is no watch meanwhile; the next one starts at the accepted list.
 */
async function confirmedList<T>(resource: Resource<T>, context: LoopContext<T>) {
  const { session, view, signal, timing, report } = context;
  const limits = { signal, timeoutMs: timing.requestTimeoutMs, timing };
  const request = () => session.firstAnswer((target) => listObjects(target, resource, limits), signal);
  const lostBy = (list: ListedObjects<T>) => view.lost(resource, list);
  const first = await request();
  if (first.kind === 'failure' || resource.doubtsLoss !== true) return first;
  const known = view.count(resource);
  const lost = lostBy(first.answer);
  if (lost * 2 <= known) return first;
  report({
    event: 'list-doubted',
    level: 'warn',
    what: resource.what,
    server: first.target.base.url,
    known,
    lost,
    message: `The list of ${resource.what} lacks ${lost} of ${known}: it is used if a second list agrees`,
  });
  await sleep(timing.doubtPauseMs, signal);
  const second = await request();
  if (second.kind === 'failure') return second;
  const isConfirmed = lostBy(second.answer) * 2 > known;
  report({
    event: isConfirmed ? 'list-confirmed' : 'list-refuted',
    what: resource.what,
    server: second.target.base.url,
    known,
    lost: lostBy(second.answer),
  });
  return second;
}

/** Whether the kind is absent. A kind that once had objects is not: an API server that has just started may not have it yet. */
function isAbsent<T>(resource: Resource<T>, { status }: ApiFailure, { view }: LoopContext<T>): boolean {
  return resource.mayBeAbsent === true && status === 404 && view.count(resource) === 0;
}

/** Watches from a position. Resolves with the position to resume at, or undefined if a new list is needed. */
async function watchFrom<T>(
  { resourceVersion, listedAtMs }: Position,
  resource: Resource<T>,
  context: LoopContext<T>,
  outage: Outage,
): Promise<Position | undefined> {
  const { view, signal, timing } = context;
  const resyncAtMs = listedAtMs + timing.resyncMs;
  const seconds = Math.max(1, Math.ceil((resyncAtMs - monotonicMs()) / 1_000));
  const timeoutSeconds = `${Math.min(seconds, timing.watchTimeoutSeconds)}`;
  try {
    const end = await watch(resource, { resourceVersion, timeoutSeconds }, context, outage);
    if (end === 'expired' || monotonicMs() >= resyncAtMs) return undefined;
    return { resourceVersion: view.resourceVersion(resource) ?? resourceVersion, listedAtMs };
  } catch (error) {
    if (!signal.aborted) outage.failed(messageOf(error));
    return undefined;
  }
}

/** Resolves when the server ended the watch. Throws when the connection was lost. */
async function watch<T>(
  resource: Resource<T>,
  from: { readonly resourceVersion: string; readonly timeoutSeconds: string },
  context: LoopContext<T>,
  outage: Outage,
): Promise<'ended' | 'expired'> {
  const { session, view, timing, signal } = context;
  const path = queryPath(resource, { watch: '1', allowWatchBookmarks: 'true', ...from });
  const { requestTimeoutMs: timeoutMs, maxLineBytes, maxObjects } = timing;
  let good: ReturnType<ApiSession['whileGood']> | undefined;
  const open = async (target: ApiTarget) => {
    good?.[Symbol.dispose]();
    // Before the request: during it the server may be declared dead, or the kubeconfig replaced.
    good = session.whileGood(target);
    return await openStream(target, path, {
      signal: AbortSignal.any([signal, good.signal]),
      timeoutMs,
      maxBytes: { maxLineBytes },
    });
  };
  let healthy: NodeJS.Timeout | undefined;
  let isOpen = false;
  try {
    const result = await session.firstAnswer(open, signal);
    if (result.kind === 'failure') throw new Error(result.message);
    const { response } = result.answer;
    const lifeMs = Number(from.timeoutSeconds) * 1_000 + timing.watchSlackMs;
    using _life = patientTimer(lifeMs, () =>
      response.destroy(
        new Error(`still open after ${lifeMs} ms, expected its end after ${from.timeoutSeconds} s`),
      ),
    );
    isOpen = true;
    healthy = setTimeout(() => outage.succeeded(), timing.healthyWatchMs);
    const limits = { idleMs: timing.watchIdleMs, maxLineBytes };
    for await (const message of readWatch(response, resource, limits)) {
      if (message.kind === 'expired') return 'expired';
      // A watch reports nothing older than its start, unless etcd was restored from a backup.
      if (isOlder(message.resourceVersion, from.resourceVersion))
        throw new Error(
          `the API is at version ${message.resourceVersion}, expected ${from.resourceVersion} or later: its etcd was restored`,
        );
      view.changed(resource, message, result.target.base.url);
      const over = overLimit(view.count(resource), 'objects', { maxObjects });
      if (over !== undefined) throw new Error(`there are ${over}`);
    }
    return 'ended';
  } catch (error) {
    throw isOpen && good?.signal.aborted ? good.signal.reason : error;
  } finally {
    clearTimeout(healthy);
    good?.[Symbol.dispose]();
  }
}

/** Minimum timeout of a poll. A late poll makes the session drop all watches of that API server. */
const MIN_POLL_TIMEOUT_MS = 2_000;

/**
 * Lists all resources every `intervalMs` in addition to the watch, and less often if they have many objects. The poll confirms the watch, and detects
 * a watch that has gone silent. A hung API server costs one poll timeout.
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
    const result = await session.firstAnswer(
      (target) => listEvery(target, resources, { ...context, timeoutMs }),
      signal,
    );
    if (signal.aborted) return;
    if (result.kind === 'failure') {
      view.unavailable(result, beganAtMs);
      const { tooLargePauseMs } = context.timing;
      pauseMs = result.isTooLarge === true ? Math.max(intervalMs, tooLargePauseMs) : intervalMs;
    } else {
      view.polled(result.answer.lists, asked, result.target.base.url);
      pauseMs = pollPauseMs(intervalMs, countObjects(result.answer.lists), context.timing);
    }
  }
}

/** The timeout of one request of a poll: the interval, but at least 2 s and at most `requestTimeoutMs`. */
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

/** Lists all resources from one base: lists of different servers may be from different times. */
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
