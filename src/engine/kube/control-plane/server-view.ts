import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import type { ApiFailure } from '../api-request.ts';
import type { ApiSession } from '../api-session.ts';
import type { ParsedItem } from '../kube-objects.ts';
import type { Resource } from '../list-objects.ts';
import {
  fromList,
  type ListedObjects,
  mergeStores,
  type ObjectChange,
  type ObjectStore,
  takeChange,
  takePoll,
} from '../object-store.ts';
import { trackOutage } from '../outage.ts';
import { rbacHint } from '../rbac-hint.ts';
import type { ServerChoice } from './choose-servers.ts';
import type { Observation, Report } from './source.ts';

/** The common knowledge of all loops of a source. Only this turns it into observations. */
export interface ServerView {
  relisted(resource: Resource, list: ListedObjects, from: string): void;
  changed(resource: Resource, change: ObjectChange, from: string): void;
  /** One complete poll: the lists of all resources, from one base. */
  polled(lists: ReadonlyMap<Resource, ListedObjects>, from: string): void;
  /** No base answered a list request that began at `beganAtMs` (monotonic clock). */
  unavailable(failure: ApiFailure, beganAtMs: number): void;
}

/**
 * Makes no observation before every resource was listed once, because half of a list looks like a loss. A watch event
 * counts only if it changes the result, which a node's heartbeat does not. A poll always counts.
 */
export function createServerView(settings: {
  readonly resources: readonly Resource[];
  readonly choose: (items: readonly ParsedItem[]) => ServerChoice;
  readonly session: Pick<ApiSession, 'remember'>;
  readonly report: Report;
  readonly push: (observation: Observation) => void;
}): ServerView {
  const { resources, choose, session, report, push } = settings;
  const stores = new Map<Resource, ObjectStore>();
  const outage = trackOutage(report, { failed: 'api-unavailable', recovered: 'api-recovered' }, {});
  let lastShown: string | undefined;
  let outageKind: string | undefined;
  let answeredAtMs = Number.NEGATIVE_INFINITY;

  const show = (via: 'watch' | 'poll', from: string) => {
    const known = resources.flatMap((resource) => stores.get(resource) ?? []);
    if (known.length < resources.length) return;
    const choice = choose(mergeStores(known));
    const shown = JSON.stringify(choice);
    if (via === 'watch' && shown === lastShown) return;
    lastShown = shown;
    session.remember(choice.servers);
    push({ kind: 'servers', via, ...choice, from });
  };

  const available = () => {
    answeredAtMs = monotonicMs();
    outage.succeeded();
    if (outageKind !== undefined) lastShown = undefined;
    outageKind = undefined;
  };

  return {
    relisted: (resource, list, from) => {
      available();
      stores.set(resource, fromList(list));
      show('watch', from);
    },
    changed: (resource, change, from) => {
      const store = stores.get(resource);
      if (store === undefined) return;
      stores.set(resource, takeChange(store, change));
      show('watch', from);
    },
    polled: (lists, from) => {
      available();
      for (const [resource, list] of lists) stores.set(resource, takePoll(stores.get(resource), list));
      show('poll', from);
    },
    unavailable: ({ status, message }, beganAtMs) => {
      // A request that began before another loop's success says nothing about now.
      if (beganAtMs < answeredAtMs) return;
      // Compares the status, not the message: loops and bases word the same outage differently.
      const kind = `${status ?? 'no answer'}`;
      outage.failed(message, { kind, remedy: status === 403 ? rbacHint(message) : undefined });
      if (kind !== outageKind) push({ kind: 'unavailable', message });
      outageKind = kind;
    },
  };
}
