import { sharedRun } from '../../../engine/system/time/one-at-a-time.ts';
import type { ClusterStatus } from '../../status/node-status.ts';
import type { ProductStatus } from '../../status/product-status.ts';
import { statusView } from '../../status/view/status-view.ts';
import type { JournalWords } from '../../timeline/journal-words.ts';
import type { RecentEntries } from '../../timeline/recent.ts';
import { mainPart, pageDocument, titleOf } from '../html/document.ts';
import { lastHour } from '../view/time-span.ts';
import { timelineView } from '../view/timeline.ts';

/** Where the page gets what it shows. */
export interface PageSource {
  /** Looks at the cluster now. */
  readonly look: () => Promise<ClusterStatus>;
  readonly products: readonly ProductStatus[];
  readonly words: JournalWords;
  /** The journals from a time on, ISO 8601, UTC. */
  readonly recent: (since: string) => RecentEntries;
  /** Since the epoch. */
  readonly nowMs: () => number;
}

/** The page at one moment. */
export interface Snapshot {
  /** ISO 8601, UTC, of this machine's clock. */
  readonly at: string;
  readonly title: string;
  /** The part that changes. */
  readonly main: string;
  readonly document: () => string;
}

/**
 * Returns a function that takes a snapshot. Those that are asked for while one is being taken get that one: however many
 * ask, the cluster is looked at once at a time. Rejects where `look` does.
 */
export function createSnapshots({
  look,
  products,
  words,
  recent,
  nowMs,
}: PageSource): () => Promise<Snapshot> {
  return sharedRun(async () => {
    const status = await look();
    const now = nowMs();
    const at = new Date(now).toISOString();
    const hour = lastHour(now);
    const timeline = timelineView(status, recent(hour.from), hour, { words, products });
    const view = { ...statusView(status, products), timeline };
    return { at, title: titleOf(view), main: mainPart(view), document: () => pageDocument(view, at) };
  });
}
