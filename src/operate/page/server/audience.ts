import type { ServerResponse } from 'node:http';
import { sleep } from '../../../engine/system/time/sleep.ts';
import { ALIVE_EVERY_MS, type AliveEvent, type PageEvent } from '../page-event.ts';
import type { Snapshot } from './snapshots.ts';

/** The readers that have the page open. */
export interface Audience {
  /** Streams to it until it goes away; false where there is no place left. */
  readonly admit: (response: ServerResponse) => boolean;
}

const MOST_WATCHERS = 16;
/** A reader that does not take its data is disconnected, and returns for the latest state. */
const MOST_UNSENT_BYTES = 4 * 1_024 * 1_024;
const LOOK_EVERY_MS = 500;

interface Watcher {
  readonly response: ServerResponse;
  /** What it was sent last, and when. */
  shown: string | undefined;
  sentMs: number;
}

/**
 * Looks twice a second while the page has viewers, and not at all otherwise. Each viewer is sent the whole page at once and
 * whenever it has changed; else a sign of life every second, which is missing where looking fails or hangs.
 */
export function createAudience(snapshot: () => Promise<Snapshot>, signal: AbortSignal): Audience {
  const watchers = new Set<Watcher>();
  let isLooking = false;
  const show = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    while (watchers.size > 0 && !signal.aborted) {
      const seen = await snapshot().catch(() => undefined);
      if (seen !== undefined) for (const watcher of watchers) tell(watcher, seen);
      await sleep(LOOK_EVERY_MS, signal);
    }
    isLooking = false;
  };
  return {
    admit: (response) => {
      if (watchers.size >= MOST_WATCHERS) return false;
      const watcher: Watcher = { response, shown: undefined, sentMs: 0 };
      watchers.add(watcher);
      response.once('close', () => watchers.delete(watcher));
      response.on('error', () => response.destroy());
      response.write('retry: 1000\n\n');
      void show();
      return true;
    },
  };
}

function tell(watcher: Watcher, { at, title, main }: Snapshot): void {
  const { response } = watcher;
  const now = performance.now();
  if (response.writableLength > MOST_UNSENT_BYTES) return void response.destroy();
  if (watcher.shown !== main) send(response, 'page', { at, title, main });
  else if (now - watcher.sentMs >= ALIVE_EVERY_MS) send(response, 'alive', { at });
  else return;
  watcher.shown = main;
  watcher.sentMs = now;
}

/** JSON has no line of its own, so that it is one line of the stream. */
function send(response: ServerResponse, event: 'page' | 'alive', data: PageEvent | AliveEvent): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
