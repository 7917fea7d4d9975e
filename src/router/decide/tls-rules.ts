import type { RouteTls } from '../follow/route.ts';
import type { RouteKind } from '../model.ts';

/** What a termination does not go with; undefined: nothing is wrong. */
export function tlsProblem(tls: RouteTls, path: string): string | undefined {
  const kind = kindOf(tls);
  const { insecurePolicy, certificate, key, caCertificate, destinationCaCertificate } = tls;
  if (kind === undefined) return 'spec.tls.termination: expected edge, passthrough or reencrypt';
  const policies = kind === 'passthrough' ? ['', 'None', 'Redirect'] : ['', 'None', 'Allow', 'Redirect'];
  if (!policies.includes(insecurePolicy))
    return `spec.tls.insecureEdgeTerminationPolicy: expected ${policies.slice(1).join(', ')} or nothing`;
  const own = certificate !== '' || key !== '' || caCertificate !== '' || tls.secret !== undefined;
  if (kind === 'passthrough' && (own || destinationCaCertificate !== ''))
    return 'spec.tls: a passthrough route has no certificates';
  if (kind === 'passthrough' && path !== '') return 'spec.path: a passthrough route has no path';
  if (kind === 'edge' && destinationCaCertificate !== '')
    return 'spec.tls.destinationCACertificate: an edge route has none';
  return undefined;
}

/** Undefined for a termination that does not exist. */
export function kindOf(tls: Pick<RouteTls, 'termination'> | undefined): RouteKind | undefined {
  if (tls === undefined) return 'http';
  return (['edge', 'reencrypt', 'passthrough'] as const).find((kind) => kind === tls.termination);
}
