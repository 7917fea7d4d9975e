import * as z from 'zod/mini';

export const probeSchema = z.object({
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** Null for a good answer. */
  reason: z.nullable(z.string()),
});
/** One connection with one request; monotonic milliseconds. */
export type Probe = z.infer<typeof probeSchema>;

/** As reported by the client: with the start of its oldest probe that had not ended by then, if any. */
export const toldProbeSchema = z.extend(probeSchema, { pendingSinceMs: z.nullable(z.number()) });
export type ToldProbe = z.infer<typeof toldProbeSchema>;

/** How long the switch and the client may take to learn of a move. */
const MOVE_MS = 1_000;
/** The address watcher is notified after the change; on a busy machine a cut client noted its end up to 7 ms before. */
const TOLD_LATE_MS = 50;

/** When something lost its connections, and until when nothing took its place; monotonic milliseconds. */
export interface Cut {
  readonly atMs: number;
  /** Left out if something else was there at once. */
  readonly untilMs?: number;
}

/** Whether this probe was under way at the cut, or began before others could know of it. */
export function isCut({ startedAtMs, endedAtMs }: Probe, { atMs, untilMs = atMs }: Cut): boolean {
  return startedAtMs <= untilMs + MOVE_MS && endedAtMs >= atMs - TOLD_LATE_MS;
}

/** In order of their start: those that could notice what happened at `fromMs` and began before `toMs`. */
export function probesWithin(probes: readonly Probe[], fromMs: number, toMs: number): readonly Probe[] {
  return probes
    .filter((probe) => probe.endedAtMs >= fromMs && probe.startedAtMs < toMs)
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

/** From the first failed probe of the longest unbroken run to the good one after it: 0 without a failure. */
export function blackoutMs(probes: readonly Probe[], gapMs: number): number {
  let longest = 0;
  let since: number | undefined;
  for (const { startedAtMs, reason } of probes) {
    if (reason !== null) since ??= startedAtMs;
    else if (since !== undefined) {
      longest = Math.max(longest, startedAtMs - since);
      since = undefined;
    }
  }
  const last = probes.at(-1);
  return since === undefined || last === undefined
    ? longest
    : Math.max(longest, last.startedAtMs + gapMs - since);
}

/** From the first failed probe to the last, whether or not good ones are between them: 0 without a failure. */
export function failureWindowMs(probes: readonly Probe[], gapMs: number): number {
  const failed = probes.filter(({ reason }) => reason !== null);
  const first = failed.at(0);
  const last = failed.at(-1);
  return first === undefined || last === undefined ? 0 : last.startedAtMs - first.startedAtMs + gapMs;
}

/** The longest time that a probe took, whatever its result: 0 without any. */
export function longestWaitMs(probes: readonly Probe[]): number {
  return Math.max(0, ...probes.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs));
}

export function lostCount(probes: readonly Probe[]): number {
  return probes.filter(({ reason }) => reason !== null).length;
}
