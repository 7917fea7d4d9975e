import type { Log } from '../../engine/system/log.ts';
import { isAboutPods } from '../decide/backend-servers.ts';
import { createReportedTopics, MAX_TOPICS } from '../follow/reported-topics.ts';
import type { RouteBackend } from '../model.ts';
import type { RouterObserver } from './router-observer.ts';

/** Remarks that concern the route's owner, such as ignored annotations and headers, or a port that no pod has. */
export function ownersRemarks({ remarks }: RouteBackend): readonly string[] {
  return remarks.filter((remark) => !isAboutPods(remark));
}

/**
 * Logs each owner's remark once per route, since the route is served without what the remark is about and the owner might not notice. Beyond a
 * thousand remarks it logs one line instead. `nowMs` is monotonic.
 */
export function reportRemarks(log: Log, nowMs: () => number): Pick<RouterObserver, 'onDecision'> {
  const actionFor = createReportedTopics(nowMs);
  return {
    onDecision: ({ model }) => {
      for (const backend of model.backends) {
        for (const message of ownersRemarks(backend)) {
          const action = actionFor(`${backend.key} ${message}`, '');
          if (action === 'log-full') log({ event: 'route-remarks', level: 'warn', message: TOO_MANY });
          if (action === 'log') log({ event: 'route-remark', level: 'warn', route: backend.key, message });
        }
      }
    },
  };
}

const TOO_MANY = `Cannot log every remark: routes have more than ${MAX_TOPICS}, hawser router explain shows the others`;
