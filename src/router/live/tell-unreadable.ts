import { identify } from '../../engine/kube/kube-objects.ts';
import type { Log } from '../../engine/system/log.ts';
import type { Unreadable } from './router-resources.ts';

/** Tenants choose how many objects there are and what is wrong with them. */
const MOST_NAMED = 1_000;
/** Of one object. A hostile one has as many as it has fields. */
const MOST_PROBLEMS = 20;
/** What no list has told of for so long has gone, or can be read: each kind is listed every ten minutes. */
const FORGET_MS = 3_600_000;

interface Told {
  readonly problems: string;
  readonly seenMs: number;
}

/**
 * Logs each object that cannot be read once, and again where something else is wrong with it. Of more than a thousand the others are not named,
 * and one line says so: each list tells of all of them again. `nowMs` is monotonic.
 */
export function tellUnreadable(log: Log, nowMs: () => number): Unreadable {
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
  return (what, object, all) => {
    const { key } = identify(object);
    const topic = `${what} ${key}`;
    const more = all.length - MOST_PROBLEMS;
    const problems = [...all.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
    const next: Told = { problems: problems.join(), seenMs: nowMs() };
    const before = told.get(topic);
    told.delete(topic);
    if (before === undefined && !hasRoom()) {
      if (!isFull) log({ event: 'objects-unreadable', level: 'warn', message: OTHERS });
      isFull = true;
      return;
    }
    told.set(topic, next);
    if (told.size < MOST_NAMED) isFull = false;
    if (before?.problems !== next.problems)
      log({ event: 'object-unreadable', level: 'warn', what, key, problems });
  };
}

const OTHERS = `Cannot read more than ${MOST_NAMED} objects: the others are not named, expected objects of the API's own form`;
