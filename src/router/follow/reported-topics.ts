import { identify } from '../../engine/kube/kube-objects.ts';
import type { Log } from '../../engine/system/log.ts';
import type { Unreadable } from './router-resources.ts';

/** The limit of topics: tenants choose their number and texts. */
export const MOST_NAMED = 1_000;
/** A topic not seen for this long is gone or fixed: each kind is listed every ten minutes. */
const FORGET_MS = 3_600_000;

interface Reported {
  readonly text: string;
  readonly seenMs: number;
}

/** What to do about a topic: name it, nothing, or say that others are not named. The last is logged once until there is room again. */
type News = 'new' | 'known' | 'full';

/** Remembers the texts of the last thousand topics, so that each is named once, and again when its text changes. `nowMs` is monotonic. */
export function createReportedTopics(nowMs: () => number): (topic: string, text: string) => News {
  /** The one that was seen last stands last. */
  const reported = new Map<string, Reported>();
  let isFull = false;
  const hasRoom = (): boolean => {
    if (reported.size < MOST_NAMED) return true;
    for (const [topic, { seenMs }] of reported) {
      if (nowMs() - seenMs < FORGET_MS) break;
      reported.delete(topic);
    }
    return reported.size < MOST_NAMED;
  };
  return (topic, text) => {
    const before = reported.get(topic);
    reported.delete(topic);
    if (before === undefined && !hasRoom()) {
      const wasFull = isFull;
      isFull = true;
      return wasFull ? 'known' : 'full';
    }
    reported.set(topic, { text, seenMs: nowMs() });
    if (reported.size < MOST_NAMED) isFull = false;
    return before?.text === text ? 'known' : 'new';
  };
}

/** Of one object. A hostile one has as many as it has fields. */
const MOST_PROBLEMS = 20;

/**
 * Logs each object that cannot be read once, and again where something else is wrong with it. Of more than a thousand the others are not named,
 * and one line says so: each list names all of them again. `nowMs` is monotonic.
 */
export function reportUnreadable(log: Log, nowMs: () => number): Unreadable {
  const newsOf = createReportedTopics(nowMs);
  return (what, object, all) => {
    const { key } = identify(object);
    const more = all.length - MOST_PROBLEMS;
    const problems = [...all.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
    const news = newsOf(`${what} ${key}`, problems.join());
    if (news === 'full') log({ event: 'objects-unreadable', level: 'warn', message: OTHERS });
    if (news === 'new') log({ event: 'object-unreadable', level: 'warn', what, key, problems });
  };
}

const OTHERS = `Cannot read more than ${MOST_NAMED} objects: the others are not named, expected objects of the API's own form`;
