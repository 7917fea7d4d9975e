import { statSync } from 'node:fs';
import { readRegularFileSync } from '../engine/system/file/read-regular-file.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';
import { notedPermission } from './noted-permission.ts';
import { createSilentHealth, type SilentHealth } from './silent-health.ts';
import { silentTrackValue, TRACK, unwatchedTrackValue, withoutBonus } from './track-value.ts';
import type { TrackReading } from './vrrp-program.ts';

/** How to call for one track file, five times a second. */
export type TrackGuard = (holder: boolean, nowMs: number) => Omit<TrackReading, 'instances'> | undefined;

/**
 * How long FAULT lasts without a monitor that has refused the node. After a boot keepalived itself writes it, and a node
 * must not take part with an old configuration while its monitor is still starting.
 */
const FAULT_PATIENCE_MS = 10_000;

/**
 * The interval of looks and a margin. A longer gap means that this process was not scheduled, or that a clock was set;
 * only this much of it counts.
 */
const MOST_PER_LOOK_MS = 250;

/**
 * Watches that a monitor keeps rewriting its track file. One that has not been written for `silentAfterMs` is that of a
 * silent monitor: its value stays as long as `health` still answers, so that a monitor that dies or restarts moves nothing;
 * then it gets a value of ours, until it is written again. A node that its monitor has refused stays in FAULT: another
 * node holds the VIP and may not hear it. On a starved machine the looks are far between and the patience
 * grows with them: a monitor that is starved as we are is not dead. Undefined where there is no file: keepalived's
 * `init_file` holds then. `nowMs` is of the wall clock, as the file's time is.
 */
export function createTrackGuard(
  path: string,
  silentAfterMs: number,
  health: SilentHealth = createSilentHealth(path),
): TrackGuard {
  let ours: { readonly writtenMs: number; readonly said: number } | undefined;
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
    const value = readTrackValue(path);
    const patienceMs = value <= TRACK.fault ? Math.max(silentAfterMs, FAULT_PATIENCE_MS) : silentAfterMs;
    const ageMs = ageOf(writtenMs, nowMs);
    before = { writtenMs, ageMs, at: nowMs };
    const silent = writtenMs === ours?.writtenMs || ageMs > patienceMs;
    if (!silent) {
      ours = undefined;
      health.forget();
      return { path, silent, demoted: false, value };
    }
    const said = ours?.said ?? value;
    const isRefused = said <= TRACK.fault && notedPermission(path) === 'refused';
    const demoted = !isRefused && !health.serves();
    const replaced = (demoted ? silentTrackValue : unwatchedTrackValue)(said, holder);
    const wanted = isRefused ? TRACK.fault : replaced;
    if (wanted !== value) writeValue(path, wanted);
    ours = { writtenMs: writtenAt(path) ?? 0, said };
    return { path, silent, demoted, value: wanted };
  };
}

function writtenAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** A keepalived that starts holds nothing, whatever its monitor still believes. */
export function forgetBonus(path: string): void {
  try {
    const value = readTrackValue(path);
    const wanted = withoutBonus(value);
    if (wanted !== value) writeValue(path, wanted);
  } catch {
    // Without the file, `init_file` of the configuration holds.
  }
}

const MAX_TRACK_FILE_BYTES = 64 * 1_024;

/** What keepalived makes of it: 0 where it cannot be read. A FIFO blocks nothing. */
export function readTrackValue(path: string): number {
  return valueIn(path) ?? 0;
}

/** Whether it is there and holds a value. */
export function hasTrackValue(path: string): boolean {
  return valueIn(path) !== undefined;
}

function valueIn(path: string): number | undefined {
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
