import type { ApiSession } from '../../engine/kube/api-session.ts';
import { trackApi } from '../../engine/kube/outage.ts';
import type { Resource } from '../../engine/kube/resource.ts';
import { followResources } from '../../engine/kube/resource-view.ts';
import type { LogEvent } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { createUsedObjects, type UsedObjects } from '../decide/used-objects.ts';
import { followSecretReviews } from '../follow/follow-secret-reviews.ts';
import { reportUnreadable } from '../follow/reported-topics.ts';
import type { Route } from '../follow/route.ts';
import type { RouterObjects } from '../follow/router-objects.ts';
import { routerRemedy, routerResources } from '../follow/router-resources.ts';
import type { LiveSettings } from '../settings/router-command.ts';

export interface FollowedObjects {
  /** Undefined until every kind was listed and the access to all Secrets that Routes name was reviewed. */
  readonly objects: () => RouterObjects | undefined;
  /** Resolves once `signal` has aborted and every loop has ended. Rejects only for a bug. */
  readonly ended: Promise<void>;
}

interface Api {
  readonly session: ApiSession;
  readonly log: (event: LogEvent) => void;
  /** Called when an object may have changed. */
  readonly onChange: () => void;
  /** Called for every Route in a list or watch event. */
  readonly onRoute: (object: unknown) => void;
  /** Called for every Ingress of any class. */
  readonly onIngress: (object: unknown) => void;
}

/** Lists and watches all objects that the configuration depends on, except kinds that the settings do not need. */
export function followObjects(settings: LiveSettings, api: Api, signal: AbortSignal): FollowedObjects {
  const { log, onRoute, onIngress } = api;
  const resources = routerResources(settings, reportUnreadable(log, monotonicMs));
  const ended: Promise<void>[] = [];
  const shared = { session: api.session, report: log, outage: trackApi(log), remedy: routerRemedy };
  const follow = <T>(resource: Resource<T>) => {
    const following = followResources([resource], shared, api.onChange, signal);
    ended.push(following.ended);
    return following.objects;
  };
  const followIf = <T>(isNeeded: boolean, resource: Resource<T>) =>
    isNeeded ? follow(resource) : (): readonly T[] => [];
  /** The Routes of the last result. A Route with a pending Secret review is in here in its previous version. */
  let reviewed: readonly Route[] = [];
  const hasShard = settings.namespaceLabels !== undefined || settings.projectLabels !== undefined;
  const routes = follow(observed(resources.routes, onRoute));
  const ingresses = followIf(settings.ingressClass !== undefined, observed(resources.ingresses, onIngress));
  const namespaces = followIf(hasShard, resources.namespaces);
  const usedIn = createUsedObjects(settings);
  /** Undefined until every kind that refers to other objects was listed. */
  const used = (): UsedObjects | undefined => {
    const users = { routes: routes(), ingresses: ingresses(), namespaces: namespaces() };
    return isWhole(users) ? usedIn({ ...users, served: reviewed }) : undefined;
  };
  // Most of a cluster's objects belong to no route. Their changes are stored, but do not trigger a decision.
  const endpoints = follow({
    ...resources.endpoints,
    isUsed: ({ namespace, service }) => used()?.hasService(namespace, service) !== false,
  });
  const services = follow({
    ...resources.services,
    isUsed: ({ namespace, name }) => used()?.hasService(namespace, name) !== false,
  });
  const secrets = followIf(settings.secrets, {
    ...resources.secrets,
    isUsed: ({ namespace, name }) => used()?.hasSecret(namespace, name) !== false,
  });
  const reviews = settings.secrets ? followSecretReviews(api, signal) : undefined;
  if (reviews !== undefined) ended.push(reviews.ended);
  return {
    objects: () => {
      const found = {
        routes: routes(),
        ingresses: ingresses(),
        endpoints: endpoints(),
        services: services(),
        namespaces: namespaces(),
        secrets: secrets(),
      };
      if (!isWhole(found) || reviews === undefined) return isWhole(found) ? found : undefined;
      const known = reviews.review(found.routes);
      reviewed = known?.routes ?? [];
      return known && { ...found, ...known };
    },
    ended: Promise.all(ended).then(() => undefined),
  };
}

/** The same resource; `observe` receives each object as the API returned it. */
function observed<T>(resource: Resource<T>, observe: (object: unknown) => void): Resource<T> {
  return {
    ...resource,
    project: (object) => {
      observe(object);
      return resource.project(object);
    },
  };
}

function isWhole<Lists extends object>(
  found: {
    readonly [Kind in keyof Lists]: Lists[Kind] | undefined;
  },
): found is Lists {
  return Object.values(found).every((list) => list !== undefined);
}
