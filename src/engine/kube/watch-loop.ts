import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../system/errors.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { type ApiTarget, openStream } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import { createBackoff } from './backoff.ts';
import type { ServerView } from './control-plane/server-view.ts';
import type { Report } from './control-plane/source.ts';
import { listObjects, type Resource } from './list-objects.ts';
import { type Outage, trackOutage } from './outage.ts';
import type { ListWatchTiming } from './timing.ts';
import { readWatch } from './watch-stream.ts';

export interface LoopContext {
  readonly session: ApiSession;
  readonly view: ServerView;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly timing: ListWatchTiming;
}

/**
 * Lists and watches a resource repeatedly until the signal aborts: after the server's normal end of the watch, after
 * 410, and after any failure. It lists each time, so that it notices what vanished meanwhile; a control plane's list is
 * short. A watch that lived for a while resets the backoff.
 */
export async function runWatchLoop(resource: Resource, context: LoopContext): Promise<void> {
  const { timing, signal } = context;
  const outage = trackOutage(
    context.report,
    { failed: 'watch-interrupted', recovered: 'watch-recovered' },
    { what: resource.what },
  );
  const backoff = createBackoff({
    firstMs: timing.backoffFirstMs,
    capMs: timing.backoffCapMs,
    random: Math.random,
  });
  while (!signal.aborted) {
    const watchedMs = await listAndWatch(resource, context, outage);
    if (watchedMs >= timing.healthyWatchMs) backoff.reset();
    await pause(backoff.nextMs(), undefined, { signal }).catch(() => undefined);
  }
}

/** Resolves with how long the watch lived; 0 if there was none. */
async function listAndWatch(resource: Resource, context: LoopContext, outage: Outage): Promise<number> {
  const { session, view, signal, timing } = context;
  const beganAtMs = monotonicMs();
  const found = await session.firstAnswer(
    (target) => listObjects(target, resource, { signal, timeoutMs: timing.requestTimeoutMs, timing }),
    signal,
  );
  if (signal.aborted) return 0;
  if (found.kind === 'failure') {
    view.unavailable({ ...found, message: `Cannot list ${resource.what}: ${found.message}` }, beganAtMs);
    return 0;
  }
  view.relisted(resource, found.answer, found.target.base.url);
  const startedMs = performance.now();
  try {
    await watch(resource, found.target, found.answer.resourceVersion, context, outage);
  } catch (error) {
    if (!signal.aborted) outage.failed(messageOf(error));
  }
  return performance.now() - startedMs;
}

/** Returns when the server ended the watch normally, and throws when it was lost. */
async function watch(
  resource: Resource,
  target: ApiTarget,
  resourceVersion: string,
  context: LoopContext,
  outage: Outage,
): Promise<void> {
  const { session, view, timing } = context;
  using good = session.whileGood(target);
  const signal = AbortSignal.any([context.signal, good.signal]);
  const limits = { signal, timeoutMs: timing.requestTimeoutMs, maxBytes: timing.maxLineBytes };
  const answer = await openStream(target, watchPath(resource, resourceVersion, timing), limits);
  if (answer.kind === 'failure') {
    session.postpone(target, answer);
    throw new Error(answer.message);
  }
  const healthy = setTimeout(() => outage.succeeded(), timing.healthyWatchMs);
  const stream = { idleMs: timing.watchIdleMs, maxLineBytes: timing.maxLineBytes };
  try {
    for await (const message of readWatch(answer.response, resource.parse, stream)) {
      if (message.kind === 'expired') return;
      view.changed(resource, message, target.base.url);
    }
  } catch (error) {
    throw good.signal.aborted ? good.signal.reason : error;
  } finally {
    clearTimeout(healthy);
  }
}

function watchPath(resource: Resource, resourceVersion: string, timing: ListWatchTiming): string {
  const query = new URLSearchParams({
    watch: '1',
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${timing.watchTimeoutSeconds}`,
    labelSelector: resource.labelSelector,
    resourceVersion,
  });
  return `${resource.path}?${query}`;
}
