/** The limit of topics: tenants choose their number and texts. */
export const MOST_NAMED = 1_000;
/** A topic not seen for this long is gone or fixed: each kind is listed every ten minutes. */
const FORGET_MS = 3_600_000;

interface Told {
  readonly text: string;
  readonly seenMs: number;
}

/** What to do about a topic: name it, nothing, or say that others are not named. The last is logged once until there is room again. */
type News = 'new' | 'known' | 'full';

/** Remembers the texts of the last thousand topics, so that each is named once, and again when its text changes. `nowMs` is monotonic. */
export function createToldTopics(nowMs: () => number): (topic: string, text: string) => News {
  /** The one that was seen last stands last. */
  const told = new Map<string, Told>();
  let isFull = false;
  const hasRoom = (): boolean => {
    if (told.size < MOST_NAMED) return true;
    for (const [topic, { seenMs }] of told) {
      if (nowMs() - seenMs < FORGET_MS) break;
      told.delete(topic);
    }
    return told.size < MOST_NAMED;
  };
  return (topic, text) => {
    const before = told.get(topic);
    told.delete(topic);
    if (before === undefined && !hasRoom()) {
      const wasFull = isFull;
      isFull = true;
      return wasFull ? 'known' : 'full';
    }
    told.set(topic, { text, seenMs: nowMs() });
    if (told.size < MOST_NAMED) isFull = false;
    return before?.text === text ? 'known' : 'new';
  };
}
