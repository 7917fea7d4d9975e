import { foldRepeats } from '../../timeline/fold.ts';
import type { JournalWords } from '../../timeline/journal-words.ts';
import type { TimelineEntry } from '../../timeline/report.ts';
import { type MarkKind, markKindOf } from './marks.ts';
import { clockText } from './time-span.ts';

export interface StoryLine {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `03:12:04`. */
  readonly time: string;
  readonly node: string;
  /** Where a VIP moved; else what kind of news it is. */
  readonly mark: MarkKind | 'move';
  /** `vip`, `reload`: as `hawser timeline --kind` has it. */
  readonly kind: string;
  readonly words: string;
  readonly because: string | null;
}

/** What a person reads at a glance; `hawser timeline` has the rest. */
const MOST_LINES = 30;

/** The newest first, with what was said again and again folded into one line. */
export function story(
  entries: readonly TimelineEntry[],
  words: JournalWords,
): {
  readonly lines: readonly StoryLine[];
  readonly more: number;
} {
  const rows = foldRepeats([...entries]).flatMap((row) => (row.kind === 'entry' ? [row] : []));
  const shown = rows.slice(-MOST_LINES).toReversed();
  const lines = shown.map(({ entry, times, lastAt }): StoryLine => {
    const again = times === 1 ? '' : ` (${times} times, until ${clockText(lastAt)})`;
    return {
      ...{ at: entry.at, time: clockText(entry.at), node: entry.node, kind: entry.kind },
      mark: entry.event === 'vrrp-transition' ? 'move' : markKindOf(entry, words),
      words: `${words.phraseOf(entry)}${again}`,
      because: entry.because,
    };
  });
  const told = shown.reduce((sum, { times }) => sum + times, 0);
  return { lines, more: entries.length - told };
}
