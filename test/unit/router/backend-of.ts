import type { RouteBackend } from '../../../src/router/model.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';

/** A backend of app.example.com with these fields, and defaults for all others. */
export function backendOf(some: Partial<RouteBackend> & { readonly key: string }): RouteBackend {
  return routeBackend({ host: 'app.example.com', ...some });
}
