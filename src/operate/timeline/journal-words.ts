import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { type Phrase, phraser } from '../../engine/observe/journal/phrase.ts';

/** What a product says of the entries of its journals; `src/commands/journal-words.ts` lists all of them. */
export interface ProductJournal {
  /** What an event is called where its name would say again what its fields say. */
  readonly titles: Readonly<Record<string, string>>;
  /** Events that are trouble, whatever kind of entry they are. */
  readonly trouble: readonly string[];
  /** What was seen close by the entry at `index` and may have led to it; undefined where nothing was. */
  readonly causes?: (lines: readonly JournalLine[], index: number, phraseOf: Phrase) => string | undefined;
}

/** How the entries of all products are told. */
export interface JournalWords {
  readonly phraseOf: Phrase;
  readonly isTrouble: (event: string) => boolean;
  readonly causesOf: (lines: readonly JournalLine[], index: number) => string | undefined;
}

/** Of every program. */
const common: ProductJournal = {
  titles: {
    'configuration-reloaded': 'reloaded to generation',
    'configuration-changed': 'changed without a reload, generation',
    'drift-repaired': 'changes by hand undone:',
    'change-refused': 'reload needed',
    'configuration-refused': 'configuration refused, cause',
    'configuration-rejected': 'configuration rejected by',
  },
  trouble: ['cpu-starvation', 'journal-gap'],
};

export function journalWords(products: readonly ProductJournal[]): JournalWords {
  const all = [common, ...products];
  const phraseOf = phraser(Object.assign({}, ...all.map(({ titles }) => titles)));
  const trouble = new Set(all.flatMap((each) => each.trouble));
  return {
    phraseOf,
    isTrouble: (event) => trouble.has(event),
    causesOf: (lines, index) =>
      all.flatMap(({ causes }) => causes?.(lines, index, phraseOf) ?? []).join('; ') || undefined,
  };
}
