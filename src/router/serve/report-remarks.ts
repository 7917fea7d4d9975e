import type { Log } from '../../engine/system/log.ts';
import { isOfPods } from '../decide/backend-servers.ts';
import { createReportedTopics, MOST_NAMED } from '../follow/reported-topics.ts';
import type { RouteBackend } from '../model.ts';
import type { RouterObserver } from './router-observer.ts';

/** What an owner has asked for and does not get: annotations and headers that are ignored, ports that no pod has. */
export function ownersRemarks({ remarks }: RouteBackend): readonly string[] {
  return remarks.filter((remark) => !isOfPods(remark));
}

/**
 * Logs each of these once for each route, and not again at every change: the route is served without them, and its owner would not find
 * out. Of more than a thousand the others are not named, and one line says so. `nowMs` is monotonic.
 */
export function reportRemarks(log: Log, nowMs: () => number): Pick<RouterObserver, 'onDecision'> {
  const newsOf = createReportedTopics(nowMs);
  return {
    onDecision: ({ model }) => {
      for (const backend of model.backends) {
        for (const message of ownersRemarks(backend)) {
          const news = newsOf(`${backend.key} ${message}`, '');
          if (news === 'full') log({ event: 'route-remarks', level: 'warn', message: OTHERS });
          if (news === 'new') log({ event: 'route-remark', level: 'warn', route: backend.key, message });
        }
      }
    },
  };
}

const OTHERS = `Routes have more than ${MOST_NAMED} remarks: the others are not named, and hawser router explain lists them`;
