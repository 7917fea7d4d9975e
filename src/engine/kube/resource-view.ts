import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { ApiFailure } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import {
  createObjectStore,
  type ListedObjects,
  mergeStores,
  type ObjectChange,
  type ObjectStore,
} from './object-store.ts';
import { type Outage, trackApi } from './outage.ts';
import type { Resource } from './resource.ts';
import { defaultTiming, type ListWatchTiming } from './timing.ts';
import { runPollLoop, runWatchLoop } from './watch-loop.ts';

export type ResourceEvent =
  /** All resources have been listed, and a projection changed or was listed again. A poll confirms every object, changed or not. */
  | { readonly kind: 'objects'; readonly via: 'watch' | 'poll'; readonly from: string }
  /** No API server answered. Sent when an outage starts, and when its HTTP status changes. */
  | { readonly kind: 'unavailable'; readonly status: number | undefined; readonly message: string }
  /** The outage has ended. */
  | { readonly kind: 'available' };

/** State of the loops that list and watch `resources`. It alone decides which changes are events. */
export interface ResourceView<T> {
  /**
   * The newest projection of every object. Undefined until every resource was listed. The list remains the identical object until the next event,
   * which makes comparing cheap.
   */
  objects(): readonly T[] | undefined;
  /** The latest known version of a resource. */
  resourceVersion(resource: Resource<T>): string | undefined;
  count(resource: Resource<T>): number;
  /** Number of known objects of a resource that this list lacks. */
  lost(resource: Resource<T>, list: ListedObjects<T>): number;
  relisted(resource: Resource<T>, list: ListedObjects<T>, from: string): void;
  changed(resource: Resource<T>, change: ObjectChange<T>, from: string): void;
  /** One complete poll: the lists of all resources from one base, and the versions that were known at the request. */
  polled(
    lists: ReadonlyMap<Resource<T>, ListedObjects<T>>,
    asked: ReadonlyMap<Resource<T>, string | undefined>,
    from: string,
  ): void;
  /** No base answered a list request that started at `beganAtMs` (monotonic clock). */
  unavailable(failure: ApiFailure, beganAtMs: number): void;
}

/** Creates a view that reports no objects until every resource was listed once: half a list looks like a loss. */
export function createResourceView<T>(
  resources: readonly Resource<T>[],
  { report, remedy, outage: shared }: Pick<FollowSettings, 'report' | 'remedy' | 'outage'>,
  emit: (event: ResourceEvent) => void,
): ResourceView<T> {
  const stores = new Map<Resource<T>, ObjectStore<T>>();
  /** Cached until a store changes. */
  let all: readonly T[] | undefined;
  const outage = trackApi(report);
  const unreachable = shared ?? outage;
  let outageKind: string | undefined;
  let answeredAtMs = Number.NEGATIVE_INFINITY;

  const notify = (via: 'watch' | 'poll', from: string) => {
    if (stores.size === resources.length) emit({ kind: 'objects', via, from });
  };

  const available = () => {
    answeredAtMs = monotonicMs();
    outage.succeeded();
    unreachable.succeeded();
    if (outageKind !== undefined) emit({ kind: 'available' });
    outageKind = undefined;
  };

  const storeOf = (resource: Resource<T>, list: ListedObjects<T>): ObjectStore<T> => {
    all = undefined;
    const store = stores.get(resource) ?? createObjectStore(list);
    stores.set(resource, store);
    return store;
  };

  return {
    objects: () => {
      if (stores.size < resources.length) return undefined;
      all ??= Array.from(mergeStores([...stores.values()]).values(), ({ value }) => value);
      return all;
    },
    resourceVersion: (resource) => stores.get(resource)?.resourceVersion(),
    count: (resource) => stores.get(resource)?.objects().size ?? 0,
    lost: (resource, { objects }) => {
      const keys = stores.get(resource)?.objects().keys() ?? [];
      return [...keys].filter((key) => !objects.has(key)).length;
    },
    relisted: (resource, list, from) => {
      available();
      storeOf(resource, list).relist(list);
      notify('watch', from);
    },
    changed: (resource, change, from) => {
      const store = stores.get(resource);
      const before = change.kind === 'object' ? store?.objects().get(change.key)?.value : undefined;
      if (store?.take(change) !== true) return;
      all = undefined;
      if (isVisible(resource, before, change)) notify('watch', from);
    },
    polled: (lists, asked, from) => {
      available();
      for (const [resource, list] of lists) storeOf(resource, list).poll(list, asked.get(resource));
      notify('poll', from);
    },
    unavailable: ({ status, message }, beganAtMs) => {
      // A request that started before another loop's success is outdated.
      if (beganAtMs < answeredAtMs) return;
      // Compares the status, not the message: loops and bases describe the same outage in different words.
      const kind = `${status ?? 'no answer'}`;
      if (status === undefined) unreachable.failed(message, { kind, beganAtMs });
      else outage.failed(message, { kind, remedy: status === 403 ? remedy?.(message) : undefined });
      if (kind !== outageKind) emit({ kind: 'unavailable', status, message });
      outageKind = kind;
    },
  };
}

function isVisible<T>(resource: Resource<T>, before: T | undefined, change: ObjectChange<T>): boolean {
  const after = change.kind === 'object' ? change.value : undefined;
  return [before, after].some((value) => value !== undefined && resource.isUsed?.(value) !== false);
}

export interface FollowSettings {
  readonly session: ApiSession;
  /** Lists all resources this often in addition to watching. Undefined: only every `resyncMs`. */
  readonly pollMs?: number;
  readonly report: Log;
  /** Reports that no API server answers. May be shared. Undefined: a separate one. */
  readonly outage?: Outage;
  /** The remedy for a 403 with this message; undefined if unknown. */
  readonly remedy?: (message: string) => string | undefined;
  readonly timing?: Partial<ListWatchTiming>;
}

export interface Following<T> {
  /** The projection of every object. Undefined until every resource was listed once. */
  readonly objects: () => readonly T[] | undefined;
  /** Resolves when every loop has ended. Rejects only on a bug. */
  readonly ended: Promise<void>;
}

/**
 * Lists and watches `resources` until `signal` aborts, and reports the events. Survives any behaviour of an API server: each loop goes on with other
 * bases and backoff. Resources that are followed together appear together: no objects are reported before all resources were listed. Memory is
 * bounded by the projections.
 */
export function followResources<T>(
  resources: readonly Resource<T>[],
  settings: FollowSettings,
  emit: (event: ResourceEvent) => void,
  signal: AbortSignal,
): Following<T> {
  const { session, report, pollMs } = settings;
  const view = createResourceView(resources, settings, emit);
  const context = { session, view, report, signal, timing: { ...defaultTiming, ...settings.timing } };
  const loops = [
    ...resources.map((resource) => runWatchLoop(resource, context)),
    ...(pollMs === undefined ? [] : [runPollLoop(resources, pollMs, context)]),
  ];
  return { objects: view.objects, ended: Promise.all(loops).then(() => undefined) };
}
