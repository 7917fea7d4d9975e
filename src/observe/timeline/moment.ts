import type { JournalItem } from '../journal/read-journal.ts';

/** Something in one journal, with its place in time. */
export interface Moment {
  readonly item: JournalItem;
  /** Which journal, in the order in which they were read. */
  readonly chain: number;
  /** Where in it. */
  readonly order: number;
  /**
   * ISO 8601. Never earlier than what came before it in its journal: a clock that was set back must not tear a journal
   * apart. Empty for what comes before its first line.
   */
  readonly at: string;
  /** By how much the clock had been set back when it was written; 0 where it had not. */
  readonly clockBackMs: number;
}

/** A clock that is disciplined goes back by less, and that is nobody's concern. */
const CLOCK_BACK_MS = 1_000;

/** Gives what comes from one journal its place, item by item. */
export function createPlacer(chain: number): (item: JournalItem) => Moment {
  let latest = '';
  let last = '';
  let order = 0;
  return (item) => {
    const own = item.kind === 'line' ? item.line.at : last;
    const back = last === '' ? 0 : Date.parse(last) - Date.parse(own);
    latest = own > latest ? own : latest;
    last = own;
    order += 1;
    return { item, chain, order, at: latest, clockBackMs: back > CLOCK_BACK_MS ? back : 0 };
  };
}

/** The order of many journals, also of several nodes: that of their clocks, and within each its own. */
export function inOrder(moments: readonly Moment[]): readonly Moment[] {
  return moments.toSorted((a, b) => compare(a.at, b.at) || a.chain - b.chain || a.order - b.order);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
