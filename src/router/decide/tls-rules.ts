import type { RouteTls } from '../follow/route.ts';
import type { RouteKind } from '../model.ts';

/** Why the TLS fields contradict the termination or the path; undefined if they do not. */
export function tlsProblem(tls: RouteTls, path: string): string | undefined {
  const kind = kindOf(tls);
  const { insecurePolicy, certificate, key, caCertificate, destinationCaCertificate } = tls;
  if (kind === undefined) return 'spec.tls.termination: expected edge, passthrough or reencrypt';
  const policies = kind === 'passthrough' ? ['', 'None', 'Redirect'] : ['', 'None', 'Allow', 'Redirect'];
  if (!policies.includes(insecurePolicy))
    return `spec.tls.insecureEdgeTerminationPolicy: expected ${policies.slice(1).join(', ')} or no value`;
  const own = certificate !== '' || key !== '' || caCertificate !== '' || tls.secret !== undefined;
  if (kind === 'passthrough' && (own || destinationCaCertificate !== ''))
    return 'spec.tls: a passthrough route must not have certificates';
  if (kind === 'passthrough' && path !== '') return 'spec.path: a passthrough route must not have a path';
  if (kind === 'edge' && destinationCaCertificate !== '')
    return 'spec.tls.destinationCACertificate: an edge route must not have one';
  return undefined;
}

/** Undefined if the termination is invalid. */
export function kindOf(tls: Pick<RouteTls, 'termination'> | undefined): RouteKind | undefined {
  if (tls === undefined) return 'http';
  return (['edge', 'reencrypt', 'passthrough'] as const).find((kind) => kind === tls.termination);
}
