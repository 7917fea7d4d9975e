import { createHash } from 'node:crypto';
import type { Ingress, IngressPath } from '../follow/ingress.ts';
import { bareRoute, type Route, type RouteTls } from '../follow/route.ts';
import type { Service } from '../follow/service.ts';
import { type Identity, keyOf } from '../metadata.ts';
import { internalError } from './verdict.ts';

/** See `createIngressRoutes`. */
type IngressRoutes = (ingresses: readonly Ingress[], services: readonly Service[]) => readonly Route[];

/**
 * The Ingresses of a class as routes: one for each host and path, admitted like any other and as old as the Ingress. What a
 * route cannot say is a route that is not admitted, with the reason: a path must never serve more than was asked for.
 *
 * The routes of an Ingress stay the same objects while it and the services that it names do, whatever else has changed: nothing that was made
 * of them has to be made again.
 */
export function createIngressRoutes(className: string | undefined): IngressRoutes {
  if (className === undefined) return () => [];
  const made = new WeakMap<Ingress, Made>();
  return (ingresses, services) => {
    const ofClass = ingresses.filter((ingress) => ingress.className === className);
    if (ofClass.length === 0) return [];
    const servicesByKey = new Map(services.map((service) => [keyOf(service), service]));
    return ofClass.flatMap((ingress) => {
      try {
        const named = ingress.paths.map(
          ({ service }) =>
            service && servicesByKey.get(keyOf({ namespace: ingress.namespace, name: service.name })),
        );
        const before = made.get(ingress);
        if (before?.named.every((service, index) => service === named[index])) return before.routes;
        const routes = routesOf(ingress, named);
        made.set(ingress, { named, routes });
        return routes;
      } catch (error) {
        return [
          bareRoute(ingressIdentity(ingress, 'failed'), {
            ingress: ingress.name,
            wrong: internalError(error),
          }),
        ];
      }
    });
  };
}

/** What was made of an Ingress, and of which service for each of its paths. */
interface Made {
  readonly named: readonly (Service | undefined)[];
  readonly routes: readonly Route[];
}

function routesOf(ingress: Ingress, named: readonly (Service | undefined)[]): readonly Route[] {
  return [
    ...ingress.paths.map((path, index) => routeOf(ingress, path, named[index])),
    ...(ingress.hasDefaultBackend ? [defaultRoute(ingress)] : []),
  ];
}

function routeOf(ingress: Ingress, path: IngressPath, known: Service | undefined): Route {
  const { host, service } = path;
  const wildcard = host.startsWith('*.');
  const tls = tlsOf(ingress, host);
  const port = service && known && portOf(known, service.port);
  const unsupported = unsupportedOf(path) ?? (port?.kind === 'none' ? port.message : undefined);
  return {
    ...plain(ingress, `${host} ${path.pathType} ${path.path}`),
    // The first label of a wildcard's host stands for every other.
    host: wildcard ? `wildcard${host.slice(1)}` : host,
    path: path.pathType === 'Prefix' ? path.path.replace(/\/+$/, '') : path.path,
    pathMatch: path.pathType === 'Exact' ? 'exact' : 'prefix',
    wildcardPolicy: wildcard ? 'Subdomain' : 'None',
    services: service === undefined ? [] : [{ name: service.name, weight: 1 }],
    ...(port?.kind === 'named' && { targetPort: port.name }),
    ...(tls && { tls }),
    ...(unsupported !== undefined && { unsupported }),
  };
}

function defaultRoute(ingress: Ingress): Route {
  const unsupported = 'spec.defaultBackend: not supported, as it has no host';
  return { ...plain(ingress, 'default'), unsupported };
}

function plain(ingress: Ingress, of: string): Route {
  return bareRoute(ingressIdentity(ingress, of), { ingress: ingress.name, annotations: ingress.annotations });
}

/** Of a route that is made of an Ingress. No object's name has an underscore, so that no tenant's Route takes the place of an Ingress's. */
export function ingressIdentity({ namespace, name, uid, createdMs }: Ingress, of: string): Identity {
  const digest = createHash('sha256').update(of).digest('hex').slice(0, 12);
  return { namespace, name: `${name}_${digest}`, uid, createdMs };
}

function unsupportedOf({ path, pathType, service }: IngressPath): string | undefined {
  if (service === undefined) return 'spec.rules.http.paths.backend: only services are supported';
  if (pathType === 'Exact' && path === '') return 'pathType Exact: expected a path';
  return ['Exact', 'Prefix', 'ImplementationSpecific'].includes(pathType)
    ? undefined
    : `pathType of ${path}: expected Exact, Prefix or ImplementationSpecific`;
}

/**
 * Clients without TLS are sent to https, as OpenShift does with an Ingress that has TLS. An entry without hosts is for all of
 * them, and the annotation alone asks for TLS too.
 */
function tlsOf({ tls, annotations }: Ingress, host: string): RouteTls | undefined {
  const found =
    tls.find(({ hosts }) => hosts.includes(host) || hosts.some((each) => isUnder(each, host))) ??
    tls.find(({ hosts }) => hosts.length === 0);
  const termination = annotations['route.openshift.io/termination'];
  if (found === undefined && termination === undefined) return undefined;
  const destinationCaSecret = annotations['route.openshift.io/destination-ca-certificate-secret'];
  return {
    termination: termination ?? 'edge',
    insecurePolicy: 'Redirect',
    certificate: '',
    key: '',
    caCertificate: '',
    destinationCaCertificate: '',
    ...(found?.secret !== undefined && termination !== 'passthrough' && { secret: found.secret }),
    ...(destinationCaSecret !== undefined && termination === 'reencrypt' && { destinationCaSecret }),
  };
}

function isUnder(wildcard: string, host: string): boolean {
  return wildcard.startsWith('*.') && host.slice(host.indexOf('.')) === wildcard.slice(1);
}

type Port =
  | { readonly kind: 'named'; readonly name: string }
  /** The service's only port, which needs no name. */
  | { readonly kind: 'only' }
  | { readonly kind: 'none'; readonly message: string };

/** An Ingress names a port of the service; endpoints have its name. */
function portOf({ name, ports }: Service, port: string): Port {
  const found = ports.find((each) => each.name === port || `${each.port}` === port);
  if (found === undefined) return { kind: 'none', message: `Service ${name} has no TCP port ${port}` };
  return found.name === '' ? { kind: 'only' } : { kind: 'named', name: found.name };
}
