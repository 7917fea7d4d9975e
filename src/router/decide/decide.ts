import { admitRoutes } from '../admission/admit-routes.ts';
import type { Admission, RejectedRoute } from '../admission/verdict.ts';
import { buildModel } from '../backends/build-model.ts';
import { ingressRoutes } from '../ingress/ingress-routes.ts';
import type { RouterModel } from '../model.ts';
import type { Route } from '../objects/route.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import { admissionPolicy, backendDefaults } from '../settings/decision-settings.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { shardOf } from './shard.ts';

export interface Decision {
  readonly admission: Admission;
  /** Those of other routers, by namespace or field. */
  readonly outside: readonly Route[];
  readonly model: RouterModel;
}

/** From objects and settings to what is served: the one way that the running router, `render` and `explain` share. */
export function decide(objects: RouterObjects, settings: RouterSettings): Decision {
  const policy = admissionPolicy(settings);
  const { routes, ingresses, services, secrets } = objects;
  const all = [...routes, ...ingressRoutes(ingresses, services, policy.ingressClass)];
  const isInside = shardOf(settings, objects.namespaces);
  const admission = admitRoutes(all.filter(isInside), secrets, policy);
  const outside = all.filter((route) => !isInside(route));
  const { model, failed } = buildModel(admission.admitted, objects, backendDefaults(settings));
  return { admission: failed.length === 0 ? admission : without(admission, failed), outside, model };
}

function without({ admitted, rejected }: Admission, failed: readonly RejectedRoute[]): Admission {
  const keys = new Set(failed.map(({ key }) => key));
  return {
    admitted: admitted.filter(({ key }) => !keys.has(key)),
    rejected: [...rejected, ...failed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}
