import type { ApiSession } from '../../engine/kube/api-session.ts';
import { hasDnsEndpoints, publishDnsEndpoint } from './publish-dns-endpoint.ts';
import { publishInRoute53, type Route53Settings } from './publish-in-route53.ts';
import type { Publish, TargetName } from './target.ts';

export interface Target {
  readonly name: TargetName;
  readonly publish: Publish;
}

/**
 * ExternalDNS if the cluster has its DNSEndpoint, unless the setting names another; undefined while the API does not answer.
 * Determined once: a record handed over between two writers would have no owner meanwhile.
 */
export async function chooseTarget(
  wanted: TargetName | 'auto',
  means: {
    readonly session: Pick<ApiSession, 'firstAnswer'>;
    readonly object: { readonly namespace: string; readonly name: string };
    readonly route53: Route53Settings;
  },
  signal: AbortSignal,
): Promise<Target | undefined> {
  const hasObjects = wanted === 'auto' ? await hasDnsEndpoints(means.session, signal) : undefined;
  if (wanted === 'auto' && hasObjects === undefined) return undefined;
  return wanted === 'external-dns' || hasObjects === true
    ? { name: 'external-dns', publish: publishDnsEndpoint(means.session, means.object) }
    : { name: 'route53', publish: publishInRoute53(means.route53) };
}
