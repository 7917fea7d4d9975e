import type { ClusterStatus } from '../../status/node-status.ts';
import type { ProductStatus } from '../../status/product-status.ts';
import type { JournalWords } from '../../timeline/journal-words.ts';
import type { RecentEntries } from '../../timeline/recent.ts';
import { type VipLane, vipLanes } from './lanes.ts';
import { type MarkLane, markLanes } from './marks.ts';
import { type StoryLine, story } from './story.ts';
import { type Tick, type TimeSpan, ticksOf } from './time-span.ts';

/** The last hour: the holder of each VIP, other events, and the latest of them as text. */
export interface TimelineView {
  readonly span: TimeSpan;
  readonly ticks: readonly Tick[];
  readonly vips: readonly VipLane[];
  readonly marks: readonly MarkLane[];
  /** The newest first. */
  readonly story: readonly StoryLine[];
  /** Entries of the span that are not in the story. */
  readonly more: number;
  /** Older entries of the hour are not shown at all. */
  readonly isCut: boolean;
  readonly problems: readonly string[];
}

export function timelineView(
  status: ClusterStatus,
  recent: RecentEntries,
  span: TimeSpan,
  { words, products }: { readonly words: JournalWords; readonly products: readonly ProductStatus[] },
): TimelineView {
  const entries = recent.entries.filter(({ at }) => at >= span.from && at <= span.to);
  const told = story(entries, words);
  return {
    span,
    ticks: ticksOf(span),
    vips: vipLanes(status, entries, span, products),
    marks: markLanes(status.here, entries, span, words),
    story: told.lines,
    more: told.more,
    isCut: recent.isCut,
    problems: recent.problems,
  };
}
