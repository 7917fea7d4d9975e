import type { StoredObject } from '../../test/helpers/api-server/object-store.ts';
import type { Authority, IssuedCertificate } from '../../test/helpers/certificates.ts';
import { podAddress } from '../../test/helpers/router/live-router.ts';
import { plainRoute, slice } from '../../test/helpers/router/route-objects.ts';

export const hosts = {
  plain: 'plain.demo',
  edge: 'edge.demo',
  reencrypt: 'reencrypt.demo',
  passthrough: 'passthrough.demo',
  extra: 'extra.demo',
  refused: 'refused.demo',
} as const;

/** Two services with two pods each, in the order of their addresses. */
export const podNames = ['web-1', 'web-2', 'bank-1', 'bank-2'] as const;
export type PodName = (typeof podNames)[number];
export const addressOf = (name: PodName): string => podAddress(podNames.indexOf(name));

/** Names in the pods' certificates: clients check the passthrough host, the router checks the service names. */
export const podDnsNames = [hosts.passthrough, 'bank.shop.svc', 'web.shop.svc'];

/** One route of each kind. These are always under load. */
export function lastingRoutes(authority: Authority): readonly StoredObject[] {
  const own = authority.issue({ commonName: hosts.edge, dnsNames: [hosts.edge, hosts.reencrypt] });
  const destinationCACertificate = authority.cert;
  return [
    plainRoute('plain', hosts.plain, { service: 'web' }),
    withTls(plainRoute('edge', hosts.edge, { service: 'web' }), { termination: 'edge', ...pairOf(own) }),
    withTls(plainRoute('reencrypt', hosts.reencrypt, { service: 'bank' }), {
      termination: 'reencrypt',
      destinationCACertificate,
      ...pairOf(own),
    }),
    withTls(plainRoute('passthrough', hosts.passthrough, { service: 'bank' }), {
      termination: 'passthrough',
    }),
  ];
}

/** The EndpointSlices of both services, without unready pods. */
export function endpoints(notReady: readonly PodName[] = []): readonly StoredObject[] {
  return ['web', 'bank'].map((service) => {
    const own = podNames.flatMap((name, index) =>
      name.startsWith(service) && !notReady.includes(name) ? [index] : [],
    );
    return slice(service, own);
  });
}

export function extraRoute(service: 'web' | 'bank', pair?: Pair): StoredObject {
  return withTls(plainRoute('extra', hosts.extra, { service, createdAt: 1 }), {
    termination: 'edge',
    insecureEdgeTerminationPolicy: 'Allow',
    ...pair,
  });
}

/** From another namespace, and newer than the route whose host it claims. */
export const thief = plainRoute('thief', hosts.plain, { namespace: 'blog', createdAt: 2, service: 'web' });

/** See `templateOf`. */
export const refusedRoute = plainRoute('refused', hosts.refused, { service: 'web', createdAt: 3 });

/** hawser's template with an error in one route's section. */
export function templateOf(shipped: string): string {
  const mistake = "\n<%_ if (backend.name.endsWith(':refused')) { _%>\n  no-such-keyword\n<%_ } _%>";
  return shipped.replace('  balance <%= backend.balance %>', `$&${mistake}`);
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export function pairOf({ cert, key }: IssuedCertificate): Pair {
  return { certificate: cert, key };
}

function withTls(route: StoredObject, tls: object): StoredObject {
  return { ...route, spec: { ...Object(route['spec']), tls } };
}
