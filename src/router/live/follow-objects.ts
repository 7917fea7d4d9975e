import type { ApiSession } from '../../engine/kube/api-session.ts';
import { followResources } from '../../engine/kube/follow-resources.ts';
import { trackApi } from '../../engine/kube/outage.ts';
import type { Resource } from '../../engine/kube/resource.ts';
import type { LogEvent } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { followSecretReviews } from './follow-secret-reviews.ts';
import { routerRemedy } from './router-remedy.ts';
import { routerResources } from './router-resources.ts';
import { tellUnreadable } from './tell-unreadable.ts';

export interface FollowedObjects {
  /** Undefined until every kind was listed, and it was asked which of the Secrets that Routes name may be used. */
  readonly objects: () => RouterObjects | undefined;
  /** Resolves once `signal` has aborted and every loop has ended. Rejects only for a bug. */
  readonly ended: Promise<void>;
}

interface Api {
  readonly session: ApiSession;
  readonly log: (event: LogEvent) => void;
  /** Something may have changed. */
  readonly hear: () => void;
  /** Every Route that a list or a watch tells of. */
  readonly onRoute: (object: unknown) => void;
}

/** Lists and watches everything that the configuration is made of. A kind that the settings do not need is not asked for. */
export function followObjects(settings: LiveSettings, api: Api, signal: AbortSignal): FollowedObjects {
  const { log, onRoute } = api;
  const resources = routerResources(settings, tellUnreadable(log, monotonicMs));
  const ended: Promise<void>[] = [];
  const shared = { session: api.session, report: log, outage: trackApi(log), remedy: routerRemedy };
  const follow = <T>(resource: Resource<T>) => {
    const following = followResources([resource], shared, api.hear, signal);
    ended.push(following.ended);
    return following.objects;
  };
  const followIf = <T>(isNeeded: boolean, resource: Resource<T>) =>
    isNeeded ? follow(resource) : (): readonly T[] => [];
  const hasShard = settings.namespaceLabels !== undefined || settings.projectLabels !== undefined;
  const routes = follow({
    ...resources.routes,
    project: (object) => {
      onRoute(object);
      return resources.routes.project(object);
    },
  });
  const ingresses = followIf(settings.ingressClass !== undefined, resources.ingresses);
  const [endpoints, services] = [follow(resources.endpoints), follow(resources.services)];
  const namespaces = followIf(hasShard, resources.namespaces);
  const secrets = followIf(settings.secrets, resources.secrets);
  const reviews = settings.secrets ? followSecretReviews(api, signal) : undefined;
  if (reviews !== undefined) ended.push(reviews.ended);
  return {
    objects: () => {
      const found = {
        ...{ routes: routes(), ingresses: ingresses(), endpoints: endpoints(), services: services() },
        ...{ namespaces: namespaces(), secrets: secrets() },
      };
      if (!isWhole(found) || reviews === undefined) return isWhole(found) ? found : undefined;
      const reviewed = reviews.review(found.routes);
      return reviewed && { ...found, ...reviewed };
    },
    ended: Promise.all(ended).then(() => undefined),
  };
}

function isWhole(
  found: { readonly [Kind in keyof RouterObjects]: RouterObjects[Kind] | undefined },
): found is RouterObjects {
  return Object.values(found).every((list) => list !== undefined);
}
