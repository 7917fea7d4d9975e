import { admitRoutes } from '../admission/admit-routes.ts';
import type { Admission } from '../admission/verdict.ts';
import { buildModel } from '../backends/build-model.ts';
import { ingressRoutes } from '../ingress/ingress-routes.ts';
import type { RouterModel } from '../model.ts';
import type { Route } from '../objects/route.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import { admissionPolicy, backendDefaults } from '../settings/decision-settings.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { moveToRejected } from './reject-routes.ts';
import { divide, shardOf } from './shard.ts';

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
  const { inside, outside } = divide(all, shardOf(settings, objects.namespaces));
  const admission = admitRoutes(inside, secrets, policy);
  const { model, failed } = buildModel(admission.admitted, objects, backendDefaults(settings));
  return { admission: failed.length === 0 ? admission : moveToRejected(admission, failed), outside, model };
}
