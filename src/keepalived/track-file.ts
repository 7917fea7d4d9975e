import { statSync } from 'node:fs';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { createFallbackProbe, type FallbackProbe } from './fallback-probe.ts';
import { readParticipationNote } from './participation-note.ts';
import { NODE_LIST_PATIENCE_MS, standIn } from './stand-in.ts';
import { TRACK, withoutBonus } from './track-value.ts';
import type { TrackReading } from './vrrp-program.ts';

/** How to call for one track file, five times a second. */
export type TrackFileWatchdog = (
  holder: boolean,
  nowMs: number,
) => Omit<TrackReading, 'instances'> | undefined;

/**
 * The interval of looks and a margin. A longer gap means that this process was not scheduled, or that a clock was set;
 * only this much of it counts.
 */
const MOST_PER_LOOK_MS = 250;

/**
 * Watches that a monitor keeps rewriting its track file. After `silentAfterMs` without a write, in FAULT after
 * `NODE_LIST_PATIENCE_MS`, the monitor is silent: `standIn` gives its value until it is written again. On a starved
 * machine the looks are far between and the patience grows with them: a monitor that is starved as we are is not dead.
 * Undefined without a file: keepalived's `init_file` applies then. `nowMs` is of the wall clock, as the file's time is.
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
    const creditMs = Math.min(Math.max(0, nowMs - before.at), MOST_PER_LOOK_MS);
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
    const wanted = standIn(noted, last, { holder, healthy, nowMs: uptimeMs() });
    if (wanted !== value) writeValue(path, wanted);
    ours = { writtenMs: writtenAt(path) ?? 0, last };
    return { path, silent, demoted: !healthy && wanted > TRACK.fault, value: wanted };
  };
}

function writtenAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** A keepalived that starts holds nothing, whatever its monitor still believes. */
export function forgetBonus(path: string): void {
  try {
    const value = readTrackValue(path) ?? 0;
    const wanted = withoutBonus(value);
    if (wanted !== value) writeValue(path, wanted);
  } catch {
    // Without the file, `init_file` of the configuration holds.
  }
}

const MAX_TRACK_FILE_BYTES = 64 * 1_024;

/** Undefined where it is missing or holds no value: keepalived takes that for 0. A FIFO blocks nothing. */
export function readTrackValue(path: string): number | undefined {
  try {
    const text = readRegularFileSync(path, { MAX_TRACK_FILE_BYTES }).bytes.toString('utf8').trim();
    const value = Number(text);
    return text !== '' && Number.isInteger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** In one step: keepalived reads as soon as anything was written. */
function writeValue(path: string, value: number): void {
  replaceFile(path, `${value}\n`, 0o644);
}
