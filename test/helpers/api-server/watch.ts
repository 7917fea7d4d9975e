import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expired } from './answers.ts';
import type { Faults } from './faults.ts';
import { isSelected } from './list.ts';
import type { ObjectStore, StoreChange } from './object-store.ts';
import type { ServedResource } from './served-kinds.ts';

export interface WatchSettings {
  readonly resource: ServedResource;
  readonly query: URLSearchParams;
  readonly store: ObjectStore;
  readonly faults: () => Faults;
  readonly clearFault: (fault: 'resetMidLine' | 'nextWatchBytes') => void;
  readonly bookmarkMs: number;
  /** The TCP connection below the response, for resets. */
  readonly socket: Socket;
}

/** A watch: changes since `resourceVersion`, then new ones, bookmarks if asked for, a clean end after `timeoutSeconds`. */
export function sendWatch(response: ServerResponse, settings: WatchSettings): void {
  const { query, store, faults } = settings;
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  const since = Number(query.get('resourceVersion') ?? 0);
  if (since !== 0 && since < store.oldest()) {
    const object = expired(since, store.oldest());
    response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
    return;
  }
  const deliver = (change: StoreChange) => {
    const event = eventOf(change, settings);
    if (event !== undefined && isHearable(faults())) writeEvent(response, event, settings);
  };
  for (const change of since === 0 ? everything(store) : store.changesSince(since)) deliver(change);
  const unsubscribe = store.subscribe(deliver);
  const bookmarks = setInterval(() => {
    if (query.get('allowWatchBookmarks') === 'true' && isHearable(faults()))
      response.write(`${JSON.stringify(bookmark(settings))}\n`);
  }, settings.bookmarkMs);
  const seconds = Number(query.get('timeoutSeconds') ?? 1_800);
  const end = setTimeout(() => {
    if (!isHearable(faults())) return;
    silence();
    response.end(`${JSON.stringify(bookmark(settings))}\n`);
  }, seconds * 1_000);
  // Ended does not mean closed yet: nothing that is due in between may be written.
  const silence = (): void => {
    unsubscribe();
    clearInterval(bookmarks);
    clearTimeout(end);
  };
  response.on('close', silence);
}

/** A watch without a version to start from begins with the existing objects. */
function everything(store: ObjectStore): readonly StoreChange[] {
  return store.objects().map((after) => ({ version: store.version(), after }));
}

function isHearable(faults: Faults): boolean {
  return !faults.stall && !faults.silentWatch;
}

/** An object that stops matching the selector is DELETED for this watch, with its new resourceVersion. */
function eventOf({ before, after }: StoreChange, { resource, query }: WatchSettings) {
  const was = before !== undefined && isSelected(before, resource, query);
  const is = after !== undefined && isSelected(after, resource, query);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after };
  if (!was) return undefined;
  const version = (after ?? before).metadata.resourceVersion;
  return {
    type: 'DELETED',
    object: { ...before, metadata: { ...before.metadata, resourceVersion: version } },
  };
}

function bookmark({ resource, store }: WatchSettings) {
  return {
    type: 'BOOKMARK',
    object: {
      kind: resource.kind,
      apiVersion: resource.apiVersion,
      metadata: {
        resourceVersion: `${store.version()}`,
        ...(!resource.isCustom && { creationTimestamp: null }),
      },
    },
  };
}

function writeEvent(response: ServerResponse, event: object, settings: WatchSettings): void {
  const line = `${JSON.stringify(event)}\n`;
  const { resetMidLine, nextWatchBytes } = settings.faults();
  if (resetMidLine) {
    settings.clearFault('resetMidLine');
    response.write(line.slice(0, line.length / 2), () => settings.socket.resetAndDestroy());
  } else if (nextWatchBytes !== '') {
    settings.clearFault('nextWatchBytes');
    response.write(nextWatchBytes);
  } else {
    response.write(line);
  }
}
