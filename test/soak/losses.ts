import type { LoadEvent } from '../helpers/load/load-events.ts';
import type { Stretch } from '../helpers/vrrp/holdings.ts';

export interface Losses {
  /** Connections that failed while the VIP was being handed over, and those that failed otherwise. */
  readonly lost: Split;
  readonly cut: Split;
  /** Why connections failed: `timeout` alone, with a client that is late itself, is a starved machine. */
  readonly reasons: readonly string[];
}

export interface Split {
  readonly atMoves: number;
  readonly otherwise: number;
}

/**
 * Tells what a hand-over cost from all the rest. What goes through the VIP cannot live through its move: the new holder
 * knows nothing of a connection to the old one, and resets it.
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
