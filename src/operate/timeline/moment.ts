import type { JournalItem } from '../../engine/observe/journal/read-journal.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';

/** Something in one journal, with its place in time. */
export interface Moment {
  readonly item: JournalItem;
  /** Which journal, in the order in which they were read. */
  readonly journal: number;
  /** Where in it. */
  readonly order: number;
  /**
   * ISO 8601. Never earlier than what came before it in its journal: a clock that was changed must not tear a journal
   * apart. Empty for what comes before its first line.
   */
  readonly at: string;
  /** By how much the clock had been set back when it was written; 0 where it had not. */
  readonly clockBackMs: number;
  /** How far its own time is from its place: positive where the clock was ahead, negative where it was behind. */
  readonly clockOffMs: number;
}

export type Place = Pick<Moment, 'at' | 'clockBackMs' | 'clockOffMs'>;

/** A clock that is disciplined goes back by less, which is of no importance. */
const CLOCK_BACK_MS = 1_000;

/** The own time of each item of one journal: an item that is not a line has the time of the line before it. */
export function createClockReader(): (item: JournalItem) => string {
  let last = '';
  return (item) => {
    if (item.kind === 'line') last = item.line.at;
    return last;
  };
}

/**
 * Where each item of one journal belongs, by their own times in the order of the journal. Where the clock went back, one of
 * two stretches is wrong. Had it gone forward before, the lines from there on were written ahead of time: they belong
 * right before the line at which the clock was put right. Else the lines behind it were written with a clock that was
 * behind: they belong where it went back, until it has caught up.
 */
export function placesOf(times: readonly string[]): readonly Place[] {
  const places = [...times];
  const backs = times.map((own, index) => backMs(times[index - 1], own));
  let behindUntil = '';
  for (const [index, own] of times.entries()) {
    const back = backs[index] ?? 0;
    if (back > 0 && !putRight(places, index, back)) behindUntil = places[index - 1] ?? '';
    if (own < behindUntil) places[index] = behindUntil;
  }
  let latest = '';
  return times.map((own, index) => {
    const place = places[index] ?? own;
    latest = place > latest ? place : latest;
    const off = own === '' ? 0 : Date.parse(own) - Date.parse(latest);
    return {
      at: latest,
      clockBackMs: backs[index] ?? 0,
      clockOffMs: Math.abs(off) > CLOCK_BACK_MS ? off : 0,
    };
  });
}

function backMs(before: string | undefined, own: string): number {
  const back = before === undefined || before === '' ? 0 : Date.parse(before) - Date.parse(own);
  return back > CLOCK_BACK_MS ? back : 0;
}

/** Moves the lines that were written ahead of time to the line at `index`; false where the clock had not gone forward. */
function putRight(places: string[], index: number, back: number): boolean {
  const own = places[index] ?? '';
  let first = index;
  while (first > 0 && (places[first - 1] ?? '') > own) first -= 1;
  const [before, ahead] = [places[first - 1] ?? '', places[first] ?? ''];
  if (before !== '' && Date.parse(ahead) - Date.parse(before) < back / 2) return false;
  places.fill(own, first, index);
  return true;
}

/** The order of many journals, also of several nodes: that of their places in time, and within each its own. */
export function inOrder(moments: readonly Moment[]): readonly Moment[] {
  return moments.toSorted((a, b) => compareText(a.at, b.at) || a.journal - b.journal || a.order - b.order);
}
