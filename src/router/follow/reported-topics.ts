import { identify } from '../../engine/kube/kube-objects.ts';
import type { Log } from '../../engine/system/log.ts';
import type { Unreadable } from './router-resources.ts';

/** Limits the memory of topics, since tenants choose their number and texts. */
export const MAX_TOPICS = 1_000;
/** A topic that was not seen for this long was deleted or fixed: each kind is listed every ten minutes. */
const FORGET_MS = 3_600_000;

interface Reported {
  readonly text: string;
  readonly seenMs: number;
}

/** Whether to log a topic, skip it, or log once that no further topics are logged. The last repeats only after there was room again. */
type TopicAction = 'log' | 'skip' | 'log-full';

/** Remembers the texts of the last thousand topics. A topic is logged once, and again when its text changes. `nowMs` is monotonic. */
export function createReportedTopics(nowMs: () => number): (topic: string, text: string) => TopicAction {
  /** Least recently seen first. */
  const reported = new Map<string, Reported>();
  let isFull = false;
  const hasRoom = (): boolean => {
    if (reported.size < MAX_TOPICS) return true;
    for (const [topic, { seenMs }] of reported) {
      if (nowMs() - seenMs < FORGET_MS) break;
      reported.delete(topic);
    }
    return reported.size < MAX_TOPICS;
  };
  return (topic, text) => {
    const before = reported.get(topic);
    reported.delete(topic);
    if (before === undefined && !hasRoom()) {
      const wasFull = isFull;
      isFull = true;
      return wasFull ? 'skip' : 'log-full';
    }
    reported.set(topic, { text, seenMs: nowMs() });
    if (reported.size < MAX_TOPICS) isFull = false;
    return before?.text === text ? 'skip' : 'log';
  };
}

/** Limits the problems per object: a hostile object can have one for each of its fields. */
const MAX_PROBLEMS = 20;

/**
 * Logs each unreadable object once, and again when its problems change. Beyond a thousand objects it logs one line instead: every list would name
 * all of them again. `nowMs` is monotonic.
 */
export function reportUnreadable(log: Log, nowMs: () => number): Unreadable {
  const actionFor = createReportedTopics(nowMs);
  return (what, object, all) => {
    const { key } = identify(object);
    const more = all.length - MAX_PROBLEMS;
    const problems = [...all.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
    const action = actionFor(`${what} ${key}`, problems.join());
    if (action === 'log-full') log({ event: 'objects-unreadable', level: 'warn', message: TOO_MANY });
    if (action === 'log') log({ event: 'object-unreadable', level: 'warn', what, key, problems });
  };
}

const TOO_MANY = `Cannot log every unreadable object: there are more than ${MAX_TOPICS}, expected objects that match the API's schema`;
