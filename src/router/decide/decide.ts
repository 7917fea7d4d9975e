import { whileSame } from '../../engine/system/same-list.ts';
import type { Ingress } from '../follow/ingress.ts';
import type { Route } from '../follow/route.ts';
import type { RouterObjects } from '../follow/router-objects.ts';
import type { RouterModel } from '../model.ts';
import type { DeniedEndpoints } from '../safe-address.ts';
import { admissionPolicy, backendDefaults } from '../settings/decision-settings.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { createAdmission } from './admit-routes.ts';
import { createModelBuilder } from './build-model.ts';
import { createIngressRoutes } from './ingress-routes.ts';
import { createRouteLimit } from './route-limit.ts';
import { divide, shardOf } from './shard.ts';
import { type Admission, moveToRejected } from './verdict.ts';

export interface Decision {
  readonly admission: Admission;
  /** Routes that belong to other routers, by namespace or field. */
  readonly outside: readonly Route[];
  /** Every Ingress that was listed, whatever its class. */
  readonly ingresses: readonly Ingress[];
  readonly model: RouterModel;
}

/** Decides from objects and settings which routes are served, and how. The running router, `render` and `explain` share it. */
export function decide(objects: RouterObjects, settings: RouterSettings): Decision {
  return createDecider(settings)(objects);
}

/**
 * `decide` for successive lists of objects. Each result equals that of `decide`, whatever came before. An unchanged backend stays the same object,
 * so that nothing derived from it needs to be recomputed. `own`: the router's own addresses, which are not valid endpoints.
 */
export function createDecider(
  settings: RouterSettings,
  own?: DeniedEndpoints['own'],
): (objects: RouterObjects) => Decision {
  const policy = admissionPolicy(settings);
  const admit = createAdmission(policy);
  const ingressRoutes = createIngressRoutes(policy.ingressClass);
  const limit = createRouteLimit(settings.maxRoutesPerNamespace);
  const build = createModelBuilder(backendDefaults(settings, own));
  // Most changes concern endpoints, which do not affect admission.
  const admitInside = whileSame(
    (
      routes: RouterObjects['routes'],
      ingresses: RouterObjects['ingresses'],
      services: RouterObjects['services'],
      secrets: RouterObjects['secrets'],
      namespaces: RouterObjects['namespaces'],
      [reviews]: readonly [RouterObjects['secretReviews']],
    ) => {
      const isInside = shardOf(settings, namespaces);
      const written = divide(routes, isInside);
      const ofClass = ingresses.filter(({ className }) => className === policy.ingressClass);
      const limited = limit(written.inside, ofClass);
      const paths = divide(ingressRoutes(limited.ingresses, services), isInside);
      const admission = admit([...limited.routes, ...paths.inside], secrets, reviews);
      return {
        admission: moveToRejected(admission, limited.rejected),
        outside: [...written.outside, ...paths.outside],
        ingresses,
      };
    },
  );
  return (objects) => {
    const { routes, ingresses, services, secrets, namespaces, secretReviews } = objects;
    const {
      admission,
      outside,
      ingresses: all,
    } = admitInside(...([routes, ingresses, services, secrets, namespaces] as const), [secretReviews]);
    const { model, failed } = build(admission.admitted, objects);
    return { admission: moveToRejected(admission, failed), outside, ingresses: all, model };
  };
}
