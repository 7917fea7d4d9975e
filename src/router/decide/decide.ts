import { admitRoutes } from '../admission/admit-routes.ts';
import type { Admission } from '../admission/verdict.ts';
import { buildModel } from '../backends/build-model.ts';
import { ingressRoutes } from '../ingress/ingress-routes.ts';
import type { RouterModel } from '../model.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import { admissionPolicy, backendDefaults } from '../settings/decision-settings.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

export interface Decision {
  readonly admission: Admission;
  readonly model: RouterModel;
}

/** From objects and settings to what is served: the one way that the running router, `render` and `explain` share. */
export function decide(objects: RouterObjects, settings: RouterSettings): Decision {
  const policy = admissionPolicy(settings);
  const { routes, ingresses, services, secrets } = objects;
  const all = [...routes, ...ingressRoutes(ingresses, services, policy.ingressClass)];
  const admission = admitRoutes(all, secrets, policy);
  return { admission, model: buildModel(admission.admitted, objects, backendDefaults(settings)) };
}
