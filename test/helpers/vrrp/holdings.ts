import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';

/** A node took or lost the VIP; monotonic milliseconds. */
export interface HoldingEvent {
  readonly node: string;
  readonly holds: boolean;
  readonly atMs: number;
}

export interface Stretch {
  readonly fromMs: number;
  /** Infinity while it lasts. */
  readonly toMs: number;
}

export interface Holding extends Stretch {
  readonly node: string;
}

/** In chronological order. Repeated events change nothing: the kernel repeats itself. */
export function holdingsOf(events: readonly HoldingEvent[]): readonly Holding[] {
  const open = new Map<string, number>();
  const holdings: Holding[] = [];
  for (const { node, holds, atMs } of [...events].sort((a, b) => a.atMs - b.atMs)) {
    const fromMs = open.get(node);
    if (holds && fromMs === undefined) open.set(node, atMs);
    if (holds || fromMs === undefined) continue;
    open.delete(node);
    holdings.push({ node, fromMs, toMs: atMs });
  }
  for (const [node, fromMs] of open) holdings.push({ node, fromMs, toMs: Number.POSITIVE_INFINITY });
  return holdings.sort((a, b) => a.fromMs - b.fromMs);
}

/** Names of the holders at a moment. */
export function holdersAt(events: readonly HoldingEvent[], atMs: number): readonly string[] {
  return holdingsOf(events)
    .filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)
    .map(({ node }) => node);
}

/** Every time a node got the VIP in `[fromMs, toMs)`, including nodes that held it before. */
export function takeOvers(events: readonly HoldingEvent[], fromMs: number, toMs: number): readonly Holding[] {
  return holdingsOf(events).filter((holding) => holding.fromMs >= fromMs && holding.fromMs < toMs);
}

/** True if the VIP has not moved for this long. */
export function quietFor(events: readonly HoldingEvent[], durationMs: number): boolean {
  return monotonicMs() - (events.at(-1)?.atMs ?? 0) > durationMs;
}

/** How long two or more nodes held it at once within `[fromMs, toMs)`. */
export function overlapMs(events: readonly HoldingEvent[], fromMs: number, toMs: number): number {
  const edges = holdingsOf(events)
    .map((each) => ({ fromMs: Math.max(each.fromMs, fromMs), toMs: Math.min(each.toMs, toMs) }))
    .filter((each) => each.fromMs < each.toMs)
    .flatMap((each) => [
      { atMs: each.fromMs, change: 1 },
      { atMs: each.toMs, change: -1 },
    ])
    // At the same moment, the end of a holding comes before the start of the next: that is a hand-over.
    .sort((a, b) => a.atMs - b.atMs || a.change - b.change);
  let total = 0;
  let holders = 0;
  let sinceMs = fromMs;
  for (const { atMs, change } of edges) {
    if (holders > 1) total += atMs - sinceMs;
    holders += change;
    sinceMs = atMs;
  }
  return total;
}

/** What is left of `[fromMs, toMs)` without these stretches, which are in order and do not overlap. */
export function without(fromMs: number, toMs: number, stretches: readonly Stretch[]): readonly Stretch[] {
  const left: Stretch[] = [];
  let atMs = fromMs;
  for (const stretch of stretches) {
    if (stretch.fromMs > atMs) left.push({ fromMs: atMs, toMs: Math.min(stretch.fromMs, toMs) });
    atMs = Math.max(atMs, stretch.toMs);
  }
  left.push({ fromMs: atMs, toMs });
  return left.filter((each) => each.fromMs < each.toMs);
}
