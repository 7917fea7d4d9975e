import { engineEvents, type JournalEvents } from '../../engine/observe/journal/journal-events.ts';
import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { type Phrase, phraser } from '../../engine/observe/journal/phrase.ts';

/** What a product's journals keep, and its part in explaining it; `src/commands/journal-words.ts` lists all of them. */
interface ProductJournal {
  readonly events: JournalEvents;
  /** What was seen close by the entry at `index` and may have led to it; undefined where nothing was. */
  readonly causes?: (lines: readonly JournalLine[], index: number, phraseOf: Phrase) => string | undefined;
}

export type JournalWords = ReturnType<typeof journalWords>;

/** The text of every product's journal entries. */
export function journalWords(products: readonly ProductJournal[]) {
  const events: JournalEvents = Object.assign({}, engineEvents, ...products.map((each) => each.events));
  const phraseOf = phraser(events);
  return {
    events,
    phraseOf,
    isTrouble: (event: string): boolean => Object.hasOwn(events, event) && events[event]?.isTrouble === true,
    causesOf: (lines: readonly JournalLine[], index: number): string | undefined =>
      products.flatMap(({ causes }) => causes?.(lines, index, phraseOf) ?? []).join('; ') || undefined,
  };
}
