import * as z from 'zod/mini';

export const probeSchema = z.object({
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** Null for a good answer. */
  reason: z.nullable(z.string()),
});
/** One connection with one request; monotonic milliseconds. */
export type Probe = z.infer<typeof probeSchema>;

/** As the client tells it: with the beginning of its oldest probe that had not ended by then, if any. */
export const toldProbeSchema = z.extend(probeSchema, { pendingSinceMs: z.nullable(z.number()) });
export type ToldProbe = z.infer<typeof toldProbeSchema>;

/** How long switch and client may take to learn of a move. */
const MOVE_MS = 1_000;
/** A watcher of addresses is notified after the change; a cut client noted its end up to 7 ms before, on a busy machine. */
const TOLD_LATE_MS = 50;

/** When something was taken from its connections, and until when nothing took its place; monotonic milliseconds. */
export interface Cut {
  readonly atMs: number;
  /** Without it something else was there at once. */
  readonly untilMs?: number;
}

/** Whether this one was under way when it happened, or begun before others could know. */
export function isCut({ startedAtMs, endedAtMs }: Probe, { atMs, untilMs = atMs }: Cut): boolean {
  return startedAtMs <= untilMs + MOVE_MS && endedAtMs >= atMs - TOLD_LATE_MS;
}

/** In order of their beginning: those that could notice what happened at `fromMs`, begun before `toMs`. */
export function probesWithin(probes: readonly Probe[], fromMs: number, toMs: number): readonly Probe[] {
  return probes
    .filter((probe) => probe.endedAtMs >= fromMs && probe.startedAtMs < toMs)
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

/** From the first failed probe of the longest unbroken row to the good one after it: 0 without a failure. */
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

/** From the first failed probe to the last one, good ones between them or not: 0 without a failure. */
export function failureWindowMs(probes: readonly Probe[], gapMs: number): number {
  const failed = probes.filter(({ reason }) => reason !== null);
  const first = failed.at(0);
  const last = failed.at(-1);
  return first === undefined || last === undefined ? 0 : last.startedAtMs - first.startedAtMs + gapMs;
}

/** The longest time that a probe took, whatever became of it: 0 without any. */
export function longestWaitMs(probes: readonly Probe[]): number {
  return Math.max(0, ...probes.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs));
}

export function lostCount(probes: readonly Probe[]): number {
  return probes.filter(({ reason }) => reason !== null).length;
}
