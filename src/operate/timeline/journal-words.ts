import { engineEvents, type JournalEvents } from '../../engine/observe/journal/journal-events.ts';
import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { type Phrase, phraser } from '../../engine/observe/journal/phrase.ts';

/** The events of a product's journals, and how it explains them; `src/commands/journal-words.ts` lists all of them. */
interface ProductJournal {
  readonly events: JournalEvents;
  /** Describes earlier entries that may have caused the entry at `index`; undefined if there are none. */
  readonly causes?: (lines: readonly JournalLine[], index: number, phraseOf: Phrase) => string | undefined;
}

export type JournalWords = ReturnType<typeof journalWords>;

/** Combines the events and causes of all products. */
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
