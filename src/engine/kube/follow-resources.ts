import type { Log } from '../system/log.ts';
import type { ApiSession } from './api-session.ts';
import type { Outage } from './outage.ts';
import { runPollLoop } from './poll-loop.ts';
import type { Resource } from './resource.ts';
import { createResourceView, type ResourceNews } from './resource-view.ts';
import { defaultTiming, type ListWatchTiming } from './timing.ts';
import { runWatchLoop } from './watch-loop.ts';

export interface FollowSettings {
  readonly session: ApiSession;
  /** Lists all resources this often in addition to watching. Undefined: only every `resyncMs`. */
  readonly pollMs?: number;
  readonly report: Log;
  /** Reports that no API server answers; may be shared. Undefined: its own. */
  readonly outage?: Outage;
  /** The remedy for a 403, by its message; undefined if unknown. */
  readonly remedy?: (message: string) => string | undefined;
  readonly timing?: Partial<ListWatchTiming>;
}

export interface Following<T> {
  /** The projection of every object; undefined until every resource was listed once. */
  readonly objects: () => readonly T[] | undefined;
  /** Resolves when every loop has ended. Rejects only for a bug. */
  readonly ended: Promise<void>;
}

/**
 * Lists and watches `resources` until `signal` aborts, and reports the news. It survives any behaviour of an API server: each loop continues with
 * other bases and backoff. Resources that are followed together appear together: no objects of one before all were listed. Memory is bounded by
 * the projections of their objects.
 */
export function followResources<T>(
  resources: readonly Resource<T>[],
  settings: FollowSettings,
  hear: (news: ResourceNews) => void,
  signal: AbortSignal,
): Following<T> {
  const { session, report, pollMs } = settings;
  const view = createResourceView(resources, settings, hear);
  const context = { session, view, report, signal, timing: { ...defaultTiming, ...settings.timing } };
  const loops = [
    ...resources.map((resource) => runWatchLoop(resource, context)),
    ...(pollMs === undefined ? [] : [runPollLoop(resources, pollMs, context)]),
  ];
  return { objects: view.objects, ended: Promise.all(loops).then(() => undefined) };
}
