import { messageOf } from '../../engine/system/errors.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { notedHealthUrl } from '../../keepalived/fallback-probe.ts';
import { type ParticipationNote, writeParticipationNote } from '../../keepalived/participation-note.ts';
import { readTrackValue, writeTrackValue } from '../../keepalived/track-file.ts';
import { TRACK } from '../../keepalived/track-value.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { HealthSource } from './health-sources.ts';

/** How often an unchanged value is rewritten. After 3 s without a write, the supervisor considers the monitor dead. */
const REFRESH_INTERVAL_MS = 500;

export interface TrackWriter {
  /**
   * Writes the value, and the note for the supervisor and the next monitor. `why` is called only if the value differs. A failed
   * write is retried at the next call.
   */
  readonly write: (value: number, noted: Noted, why: () => string) => void;
  /** The last written value; undefined before the first. */
  readonly written: () => number | undefined;
}

type Noted = Omit<ParticipationNote, 'value' | 'healthUrl'>;

/**
 * Writes the track file at each change, every half second, and at once if the file was deleted or emptied: keepalived reads that as 0,
 * and a holder without its bonus may lose the VIP. The file is overwritten in place, because keepalived watches the open file. Writes
 * are synchronous, because the file system is in memory: on a starved machine an asynchronous write would wait for a processor seven
 * times. Anything but a regular file at the path, such as a FIFO, is replaced: opening it would block the monitor's only thread.
 */
export function createTrackWriter(
  { kind, trackFile: path, url }: Pick<HealthSource, 'kind' | 'trackFile' | 'url'>,
  { log, once }: Pick<KeepalivedMonitorObservers, 'log' | 'once'>,
  nowMs: () => number = monotonicMs,
): TrackWriter {
  let last: { readonly value: number; readonly noted: Noted; readonly at: number } | undefined;
  const attempt = (what: 'value' | 'note', write: () => void): boolean => {
    const topic = `track-file-${kind}-${what}`;
    try {
      write();
      once.clear(topic);
      return true;
    } catch (error) {
      const message = messageOf(error);
      if (once.isNew(topic, message)) log({ event: 'track-file-not-written', level: 'error', path, message });
      return false;
    }
  };
  const isSame = (value: number, { before, state, until }: Noted): boolean =>
    last?.value === value &&
    last.noted.before === before &&
    last.noted.state === state &&
    last.noted.until === until;
  return {
    write: (value, noted, why) => {
      const now = nowMs();
      const current = readTrackValue(path);
      const isFresh = now - (last?.at ?? 0) < REFRESH_INTERVAL_MS && current !== undefined;
      if (isFresh && isSame(value, noted)) return;
      // If the supervisor let this node compete before its monitor started, that value stays until the wait is over.
      const isFirst = last === undefined && noted.state === 'waiting' && noted.before === 'nothing';
      if (isFirst && current !== undefined && current > TRACK.fault) return;
      if (!attempt('value', () => writeTrackValue(path, value))) return;
      // The note is second, because only the value can be written on a full disk.
      attempt('note', () =>
        writeParticipationNote(path, { ...noted, value, healthUrl: notedHealthUrl(url) }),
      );
      const before = last?.value;
      last = { value, noted, at: now };
      if (before !== value) log({ event: 'track-value-changed', kind, value, before, why: why() });
    },
    written: () => last?.value,
  };
}
