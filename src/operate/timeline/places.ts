import type { JournalItem } from '../../engine/observe/journal/read-journal.ts';

/** The place in time of an item of a journal. */
export interface Place {
  /**
   * The place in time, ISO 8601. Never earlier than the previous item of the journal, so that a journal keeps its order even if the
   * clock was changed. Empty for items before the first line.
   */
  readonly at: string;
  /** By how much the clock was set back before this item; 0 if it was not. */
  readonly clockBackMs: number;
  /** The difference between the item's own time and its place: positive if the clock was ahead, negative if it was behind. */
  readonly clockOffMs: number;
}

/** A clock under time synchronisation goes back by less, which is ignored. */
const CLOCK_BACK_MS = 1_000;

/** Returns a function that returns the own time of each item of one journal. An item that is not a line has the time of the previous line. */
export function createClockReader(): (item: JournalItem) => string {
  let last = '';
  return (item) => {
    if (item.kind === 'line') last = item.line.at;
    return last;
  };
}

/** Consecutive lines with the same place, up to the next run. */
interface Run {
  /** The index of the first line. */
  readonly from: number;
  readonly at: string;
}

/**
 * Returns the place in time of each item of one journal, from the items' own times in the order of the journal. If the clock went back,
 * either the earlier or the later lines have wrong times. If the clock had jumped forward before, the earlier lines are wrong: they are
 * placed directly before the line at which the clock was corrected. Otherwise the later lines are wrong: they are placed at the time at which
 * the clock went back, until the clock has caught up. Takes n log n steps, whatever the times: another user may have written them.
 */
export function placesOf(times: readonly string[]): readonly Place[] {
  const runs: Run[] = [];
  const backs = times.map((own, index) => backMs(times[index - 1], own));
  for (const [index, own] of times.entries()) {
    const back = backs[index] ?? 0;
    const [first] = back > 0 ? runs.splice(firstAhead(runs, own, back)) : [];
    if (first !== undefined || own > (runs.at(-1)?.at ?? ''))
      runs.push({ from: first?.from ?? index, at: own });
  }
  let run = -1;
  return times.map((own, index) => {
    if (runs[run + 1]?.from === index) run += 1;
    const at = runs[run]?.at ?? own;
    const off = own === '' ? 0 : Date.parse(own) - Date.parse(at);
    return {
      at,
      clockBackMs: backs[index] ?? 0,
      clockOffMs: Math.abs(off) > CLOCK_BACK_MS ? off : 0,
    };
  });
}

function backMs(before: string | undefined, own: string): number {
  const back = before === undefined || before === '' ? 0 : Date.parse(before) - Date.parse(own);
  return back > CLOCK_BACK_MS ? back : 0;
}

/** The index of the first run ahead of the clock, which now shows `own`; the number of runs if the clock had not jumped forward. */
function firstAhead(runs: readonly Run[], own: string, back: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.at ?? '') > own) high = middle;
    else low = middle + 1;
  }
  const before = runs[low - 1]?.at ?? '';
  const jumpMs = Date.parse(runs[low]?.at ?? '') - Date.parse(before);
  return before !== '' && jumpMs < back / 2 ? runs.length : low;
}
