import type { AdmissionPolicy } from '../admission/admission-policy.ts';
import { admitRoutes } from '../admission/admit-routes.ts';
import type { Admission } from '../admission/verdict.ts';
import type { BackendDefaults } from '../backends/backend-defaults.ts';
import { buildModel } from '../backends/build-model.ts';
import { ingressRoutes } from '../ingress/ingress-routes.ts';
import type { RouterModel } from '../model.ts';
import type { RouterObjects } from '../objects/router-objects.ts';

export interface Decision {
  readonly admission: Admission;
  readonly model: RouterModel;
}

/** From objects to what is served: the one way that the running router, `render` and `explain` share. */
export function decide(objects: RouterObjects, policy: AdmissionPolicy, defaults: BackendDefaults): Decision {
  const { routes, ingresses, services, secrets } = objects;
  const all = [...routes, ...ingressRoutes(ingresses, services, policy.ingressClass)];
  const admission = admitRoutes(all, secrets, policy);
  return { admission, model: buildModel(admission.admitted, objects, defaults) };
}
