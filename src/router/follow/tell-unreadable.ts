import { identify } from '../../engine/kube/kube-objects.ts';
import type { Log } from '../../engine/system/log.ts';
import type { Unreadable } from './router-resources.ts';
import { createToldTopics, MOST_NAMED } from './told-topics.ts';

/** Of one object. A hostile one has as many as it has fields. */
const MOST_PROBLEMS = 20;

/**
 * Logs each object that cannot be read once, and again where something else is wrong with it. Of more than a thousand the others are not named,
 * and one line says so: each list tells of all of them again. `nowMs` is monotonic.
 */
export function tellUnreadable(log: Log, nowMs: () => number): Unreadable {
  const newsOf = createToldTopics(nowMs);
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
