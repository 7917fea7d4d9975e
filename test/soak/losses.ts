import type { LoadEvent } from '../helpers/load/load-events.ts';
import type { Stretch } from '../helpers/vrrp/holdings.ts';

export interface Losses {
  /** Connections that failed while the VIP was moving, and those that failed at other times. */
  readonly lost: Split;
  readonly cut: Split;
  /** Why connections failed. Only `timeout`, together with a late client, means a starved machine. */
  readonly reasons: readonly string[];
}

export interface Split {
  readonly atMoves: number;
  readonly otherwise: number;
}

/**
 * Separates losses caused by hand-overs from all others. A connection through the VIP cannot survive a move: the new
 * holder does not know it and resets it.
 */
export function lossesOf(events: readonly LoadEvent[], moves: readonly Stretch[]): Losses {
  const split = (kind: 'lost' | 'cut'): Split => {
    const times = events.flatMap((event) => {
      if (event.kind !== kind) return [];
      return event.kind === 'lost' ? [event.startedAtMs] : [event.atMs];
    });
    const isAtMove = (atMs: number) => moves.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs);
    const atMoves = times.filter(isAtMove).length;
    return { atMoves, otherwise: times.length - atMoves };
  };
  const failed = events.flatMap((event) => (event.kind === 'lost' ? [event.reason] : []));
  const counted = Map.groupBy(failed, (reason) => reason);
  const reasons = [...counted].map(([reason, { length }]) => `${length} ${reason}`);
  return { lost: split('lost'), cut: split('cut'), reasons };
}
