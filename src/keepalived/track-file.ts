import { closeSync, constants, ftruncateSync, statSync, writeSync } from 'node:fs';
import { openOwnFile } from '../engine/system/file/open-own-file.ts';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { createFallbackProbe, type FallbackProbe } from './fallback-probe.ts';
import { readParticipationNote } from './participation-note.ts';
import { NODE_LIST_PATIENCE_MS, standIn } from './stand-in.ts';
import { TRACK, withoutBonus } from './track-value.ts';
import type { TrackReading } from './vrrp-program.ts';

/** Checks one track file. Must be called five times a second. Undefined if the file is missing. */
export type TrackFileWatchdog = (
  holder: boolean,
  nowMs: number,
) => Omit<TrackReading, 'instances'> | undefined;

/**
 * The interval of the checks plus a margin. A longer gap means that this process was not scheduled or that the clock was set, and
 * counts only as this much.
 */
const MOST_PER_CHECK_MS = 250;

/**
 * Watches that a monitor keeps rewriting its track file. After `silentAfterMs` without a write, in FAULT after
 * `NODE_LIST_PATIENCE_MS`, the monitor is silent, and the value of `standIn` is written until the monitor writes again. On a starved
 * machine the checks are rare and the patience grows accordingly: a monitor that is starved like this process is not dead. Without a
 * file, keepalived's `init_file` applies. `nowMs` is of the wall clock, like the file's modification time.
 */
export function createTrackFileWatchdog(
  path: string,
  silentAfterMs: number,
  probe: FallbackProbe = createFallbackProbe(),
  uptimeMs: () => number = monotonicMs,
): TrackFileWatchdog {
  let ours: { readonly writtenMs: number; readonly last: number } | undefined;
  let before: { readonly writtenMs: number; readonly ageMs: number; readonly at: number } | undefined;
  const ageOf = (writtenMs: number, nowMs: number): number => {
    const ageMs = nowMs - writtenMs;
    if (before === undefined) return ageMs;
    const creditMs = Math.min(Math.max(0, nowMs - before.at), MOST_PER_CHECK_MS);
    return before.writtenMs === writtenMs ? before.ageMs + creditMs : Math.min(ageMs, creditMs);
  };
  return (holder, nowMs) => {
    const writtenMs = writtenAt(path);
    if (writtenMs === undefined) return undefined;
    const value = readTrackValue(path) ?? 0;
    const patienceMs = value <= TRACK.fault ? Math.max(silentAfterMs, NODE_LIST_PATIENCE_MS) : silentAfterMs;
    const ageMs = ageOf(writtenMs, nowMs);
    before = { writtenMs, ageMs, at: nowMs };
    const silent = writtenMs === ours?.writtenMs || ageMs > patienceMs;
    if (!silent) {
      ours = undefined;
      probe.reset();
      return { path, silent, demoted: false, value };
    }
    const last = ours?.last ?? value;
    const noted = readParticipationNote(path);
    const healthy = probe.healthy(noted?.healthUrl ?? null);
    const fallback = standIn(noted, last, { holder, healthy, nowMs: uptimeMs() });
    if (fallback !== value) writeTrackValue(path, fallback);
    ours = { writtenMs: writtenAt(path) ?? 0, last };
    return { path, silent, demoted: !healthy && fallback > TRACK.fault, value: fallback };
  };
}

function writtenAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Removes the holder's bonus before keepalived starts, because a keepalived that starts holds no VIP. Never throws. */
export function removeBonus(path: string): void {
  try {
    const value = readTrackValue(path) ?? 0;
    const next = withoutBonus(value);
    if (next !== value) writeTrackValue(path, next);
  } catch {
    // Without the file, `init_file` of the configuration applies.
  }
}

const MAX_TRACK_FILE_BYTES = 64 * 1_024;

/** The value in a track file; undefined if the file is missing or has no value, which keepalived reads as 0. Never blocks on a FIFO. */
export function readTrackValue(path: string): number | undefined {
  try {
    const text = readRegularFileSync(path, { MAX_TRACK_FILE_BYTES }).bytes.toString('utf8').trim();
    const value = Number(text);
    return text !== '' && Number.isInteger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The length of the longest value, -254. Each value is padded to it, so that it overwrites a longer one completely. */
const DIGITS = 4;

/**
 * Overwrites the file in place, which works on a full disk, and without truncating it first: keepalived reads an empty file as 0, and a
 * node in FAULT would briefly compete. Creates the file if it is missing. Throws the system's error.
 */
export function writeTrackValue(path: string, value: number): void {
  const text = `${String(value).padEnd(DIGITS)}\n`;
  const file = openOwnFile(path, constants.O_WRONLY, 0o644);
  try {
    writeSync(file, text, 0);
    ftruncateSync(file, text.length);
  } finally {
    closeSync(file);
  }
}
