import { createHash } from 'node:crypto';
import { oncePer } from '../../engine/system/once-per.ts';
import type { Ingress, IngressPath } from '../follow/ingress.ts';
import { bareRoute, type Route, type RouteTls } from '../follow/route.ts';
import type { Service } from '../follow/service.ts';
import { type Identity, keyOf } from '../metadata.ts';
import { internalError } from './verdict.ts';

/** See `createIngressRoutes`. */
type IngressRoutes = (ingresses: readonly Ingress[], services: readonly Service[]) => readonly Route[];

/**
 * Converts the Ingresses of a class to routes, one per host and path. They are admitted like other routes and have the age of their Ingress. A
 * path that a route cannot express becomes a rejected route with the reason: a path must never serve more than was requested.
 *
 * The routes of an Ingress stay the same objects while the Ingress and the Services that it names are unchanged, so that nothing derived from
 * them needs to be recomputed.
 */
export function createIngressRoutes(className: string | undefined): IngressRoutes {
  if (className === undefined) return () => [];
  const converted = new WeakMap<Ingress, Converted>();
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
        const before = converted.get(ingress);
        if (before?.named.every((service, index) => service === named[index])) return before.routes;
        const routes = routesOf(ingress, named);
        converted.set(ingress, { named, routes });
        return routes;
      } catch (error) {
        return [
          bareRoute(ingressIdentity(ingress, 'failed'), {
            ingress: ingress.name,
            invalid: internalError(error),
          }),
        ];
      }
    });
  };
}

/** The routes of an Ingress, and the Service of each path that they were converted with. */
interface Converted {
  readonly named: readonly (Service | undefined)[];
  readonly routes: readonly Route[];
}

function routesOf(ingress: Ingress, named: readonly (Service | undefined)[]): readonly Route[] {
  const find = { tlsEntry: tlsEntries(ingress), portsOf: oncePer(portsByText) };
  return [
    ...ingress.paths.map((path, index) => routeOf(ingress, path, named[index], find)),
    ...(ingress.hasDefaultBackend ? [defaultRoute(ingress)] : []),
  ];
}

/** Made once for all paths of an Ingress, which may have thousands of paths, hosts and ports. */
interface Find {
  readonly tlsEntry: (host: string) => TlsEntry | undefined;
  readonly portsOf: (service: Service) => ReadonlyMap<string, ServicePort>;
}

type TlsEntry = Ingress['tls'][number];
type ServicePort = Service['ports'][number];

function routeOf(ingress: Ingress, path: IngressPath, known: Service | undefined, find: Find): Route {
  const { host, service } = path;
  const wildcard = host.startsWith('*.');
  const tls = tlsOf(ingress, find.tlsEntry(host));
  const port = service && known && portOf(known, service.port, find.portsOf(known));
  const problem = unsupportedOf(path) ?? (port?.kind === 'none' ? port.message : undefined);
  return {
    ...plain(ingress, `${host} ${path.pathType} ${path.path}`),
    // Only the domain of a wildcard's host matters, so any first label will do.
    host: wildcard ? `wildcard${host.slice(1)}` : host,
    path: path.pathType === 'Prefix' ? path.path.replace(/\/+$/, '') : path.path,
    pathMatch: path.pathType === 'Exact' ? 'exact' : 'prefix',
    wildcardPolicy: wildcard ? 'Subdomain' : 'None',
    services: service === undefined ? [] : [{ name: service.name, weight: 1 }],
    ...(port?.kind === 'named' && { targetPort: port.name }),
    ...(tls && { tls }),
    ...(problem !== undefined && { invalid: invalid(problem) }),
  };
}

function defaultRoute(ingress: Ingress): Route {
  return {
    ...plain(ingress, 'default'),
    invalid: invalid('spec.defaultBackend: not supported, as it has no host'),
  };
}

function invalid(message: string): NonNullable<Route['invalid']> {
  return { reason: 'ExtendedValidationFailed', message };
}

function plain(ingress: Ingress, of: string): Route {
  return bareRoute(ingressIdentity(ingress, of), { ingress: ingress.name, annotations: ingress.annotations });
}

/** The identity of a route that represents an Ingress path. Object names cannot contain `_`, so no tenant's Route can have the same key. */
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
 * Clients without TLS are redirected to https, as OpenShift does for an Ingress with TLS. The termination annotation alone also enables TLS.
 */
function tlsOf({ annotations }: Ingress, found: TlsEntry | undefined): RouteTls | undefined {
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

/** Finds the first `tls` entry that lists a host, or a wildcard for it. An entry without hosts applies to all other hosts. */
function tlsEntries({ tls }: Ingress): Find['tlsEntry'] {
  const byHost = new Map<string, number>();
  /** The domain of a wildcard, with the dot before it. */
  const byDomain = new Map<string, number>();
  for (const [index, { hosts }] of tls.entries())
    for (const host of hosts) {
      if (!byHost.has(host)) byHost.set(host, index);
      if (host.startsWith('*.') && !byDomain.has(host.slice(1))) byDomain.set(host.slice(1), index);
    }
  const others = tls.find(({ hosts }) => hosts.length === 0);
  return (host) => {
    const domain = host.slice(host.indexOf('.'));
    const first = Math.min(byHost.get(host) ?? tls.length, byDomain.get(domain) ?? tls.length);
    return tls[first] ?? others;
  };
}

type Port =
  | { readonly kind: 'named'; readonly name: string }
  /** The service's only port, which has no name. */
  | { readonly kind: 'only' }
  | { readonly kind: 'none'; readonly message: string };

/** An Ingress refers to a port of the Service; its endpoints use the name of that port. */
function portOf({ name }: Service, port: string, ports: ReadonlyMap<string, ServicePort>): Port {
  const found = ports.get(port);
  if (found === undefined) return { kind: 'none', message: `Service ${name} has no TCP port ${port}` };
  return found.name === '' ? { kind: 'only' } : { kind: 'named', name: found.name };
}

/** The first port of a Service with each name or number. */
function portsByText({ ports }: Service): ReadonlyMap<string, ServicePort> {
  const byText = new Map<string, ServicePort>();
  // In reverse, so that the first one replaces the others.
  for (const each of ports.toReversed()) byText.set(`${each.port}`, each).set(each.name, each);
  return byText;
}
