import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs';
import { noteHealthUrl } from '../../keepalived/silent-health.ts';
import { messageOf } from '../../model/errors.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import type { Observers } from '../monitor/observers.ts';
import type { HealthSource } from './health-sources.ts';

/** How often the file is written though nothing has changed: the supervisor takes 3 s of silence for a dead monitor. */
const REFRESH_EVERY_MS = 500;

export interface TrackWriter {
  /** `why` is asked where another value was written. One that could not be written is tried again at the next call. */
  readonly write: (value: number, why: () => string) => void;
  /** Undefined before the first. */
  readonly written: () => number | undefined;
}

/**
 * Writes at each change and every half second. In place: keepalived watches the file that it has opened. At once, on a
 * file system in memory: each step of an asynchronous write waits for a thread and then for us, which on a starved
 * machine are seven waits for a processor instead of none.
 */
export function createTrackWriter(
  { kind, trackFile: path, url }: Pick<HealthSource, 'kind' | 'trackFile' | 'url'>,
  { log, once }: Pick<Observers, 'log' | 'once'>,
): TrackWriter {
  let last: { readonly value: number; readonly at: number } | undefined;
  const topic = `track-file-${kind}`;
  const write: TrackWriter['write'] = (value, why) => {
    const now = monotonicMs();
    if (last?.value === value && now - last.at < REFRESH_EVERY_MS) return;
    try {
      if (last === undefined) noteHealthUrl(path, url);
      overwrite(path, value);
      once.clear(topic);
    } catch (error) {
      const message = messageOf(error);
      if (once.isNew(topic, message)) log({ event: 'track-file-not-written', level: 'error', path, message });
      return;
    }
    const before = last?.value;
    last = { value, at: now };
    if (before !== value) log({ event: 'health-told', kind, value, before, why: why() });
  };
  return { write, written: () => last?.value };
}

/** The longest value is -254. Of one length, so that no value is ever followed by the end of another. */
const DIGITS = 4;

/** Never empty in between, which keepalived takes for 0: a node that cannot serve would take part for a moment. */
function overwrite(path: string, value: number): void {
  const text = `${String(value).padEnd(DIGITS)}\n`;
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o644);
  try {
    writeSync(file, text, 0);
    ftruncateSync(file, text.length);
  } finally {
    closeSync(file);
  }
}
