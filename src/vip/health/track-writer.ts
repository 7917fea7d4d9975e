import { closeSync, constants, ftruncateSync, writeSync } from 'node:fs';
import { messageOf } from '../../engine/system/errors.ts';
import { openOwnFile } from '../../engine/system/file/open-own-file.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { notedHealthUrl } from '../../keepalived/fallback-probe.ts';
import { type ParticipationNote, writeParticipationNote } from '../../keepalived/participation-note.ts';
import { readTrackValue } from '../../keepalived/track-file.ts';
import { TRACK } from '../../keepalived/track-value.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { HealthSource } from './health-sources.ts';

/** How often an unchanged value is rewritten. The supervisor takes 3 s of silence for a dead monitor. */
const REFRESH_EVERY_MS = 500;

export interface TrackWriter {
  /**
   * Also writes the note for the supervisor and the next monitor. `why` is called only if the value differs. A failed write is
   * repeated at the next call.
   */
  readonly write: (value: number, noted: Noted, why: () => string) => void;
  /** The last value; undefined before the first. */
  readonly written: () => number | undefined;
}

type Noted = Omit<ParticipationNote, 'value' | 'healthUrl'>;

/**
 * Writes at each change, every half second, and at once if the file was deleted or emptied: keepalived takes that for 0, and a
 * holder without its bonus may lose the VIP. It overwrites the file in place, because keepalived watches the open
 * file. It writes synchronously, because the file system is in memory: an asynchronous write would wait for a processor
 * seven times on a starved machine. Anything else at its path, such as a FIFO, is replaced by a file: opening it would block the monitor's only thread.
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
      const found = readTrackValue(path);
      const isFresh = now - (last?.at ?? 0) < REFRESH_EVERY_MS && found !== undefined;
      if (isFresh && isSame(value, noted)) return;
      // A supervisor has let this node compete before its monitor came: that lasts until the first decision.
      const isFirst = last === undefined && noted.state === 'waiting' && noted.before === 'nothing';
      if (isFirst && found !== undefined && found > TRACK.fault) return;
      if (!attempt('value', () => overwrite(path, value))) return;
      // After the value, which needs no room on a full disk.
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

/** The longest value is -254. Every value has this length, so that no rest of an older one follows it. */
const DIGITS = 4;

/**
 * The file is never empty in between: keepalived takes an empty file for 0, and a node in FAULT would briefly take
 * part.
 */
function overwrite(path: string, value: number): void {
  const text = `${String(value).padEnd(DIGITS)}\n`;
  const file = openOwnFile(path, constants.O_WRONLY, 0o644);
  try {
    writeSync(file, text, 0);
    ftruncateSync(file, text.length);
  } finally {
    closeSync(file);
  }
}
