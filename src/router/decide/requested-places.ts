import type { Route } from '../follow/route.ts';
import { keyOf } from '../metadata.ts';
import { isHostName, isMachineName } from '../safe-text.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import type { HostClaim } from './host-claims.ts';
import { hostOf, isInDomains, parentDomain } from './host-of.ts';
import { pathOf } from './map-value.ts';
import { kindOf } from './tls-rules.ts';
import { internalError, type Refusal } from './verdict.ts';

/** The place that a route requests, the route's age, and why it cannot have the place regardless of other routes. Does not retain the route. */
export interface RequestedPlace extends HostClaim {
  readonly uid: string;
  readonly refusal: Refusal | undefined;
}

export function requestedPlace(route: Route, policy: AdmissionPolicy): RequestedPlace {
  const { namespace, name, uid, createdMs } = route;
  const [place, refusal] = placeAndRefusal(route, policy);
  return { namespace, name, uid, createdMs, key: keyOf(route), ...place, refusal };
}

function placeAndRefusal(route: Route, policy: AdmissionPolicy): readonly [Place, Refusal | undefined] {
  try {
    const place = placeFor(route, policy);
    return [place, policyRefusal(route, place, policy) ?? hostRefusal(route, place)];
  } catch (error) {
    return [{ kind: 'http', host: '', wildcard: false, path: '', pathMatch: 'prefix' }, internalError(error)];
  }
}

type Place = Pick<HostClaim, 'kind' | 'host' | 'wildcard' | 'path' | 'pathMatch'>;

function placeFor(route: Route, policy: AdmissionPolicy): Place {
  const host = hostOf(route, policy);
  const wildcard = route.wildcardPolicy === 'Subdomain';
  return {
    kind: kindOf(route.tls) ?? 'http',
    host: wildcard ? parentDomain(host) : host,
    wildcard,
    path: pathOf(route),
    pathMatch: route.pathMatch,
  };
}

function policyRefusal(
  route: Route,
  { host, wildcard }: Place,
  policy: AdmissionPolicy,
): Refusal | undefined {
  const refuse = (message: string): Refusal => ({ reason: 'RouteNotAdmitted', message });
  if (host !== '' && isInDomains(host, policy.deniedDomains)) return refuse('the host is in a denied domain');
  if (wildcard && policy.deniedDomains.some((domain) => parentDomain(domain) === host))
    return refuse('the wildcard covers a denied domain');
  if (host !== '' && policy.allowedDomains.length > 0 && !isInDomains(host, policy.allowedDomains))
    return refuse('the host is not in an allowed domain');
  if (wildcard && !policy.allowWildcards) return refuse('wildcard routes are not allowed');
  if (!wildcard && route.wildcardPolicy !== 'None')
    return refuse('spec.wildcardPolicy: expected None or Subdomain');
  return undefined;
}

function hostRefusal(route: Route, { host, wildcard }: Place): Refusal | undefined {
  if (host === '' && !(wildcard && route.host !== ''))
    return { reason: 'NoHostValue', message: 'the route has no host, and the router does not assign one' };
  const message =
    'expected a DNS name in lower case, without a trailing dot, with labels of at most 63 characters';
  if (!isHostName(host)) return { reason: 'InvalidHost', message: `spec.host: ${message}` };
  if (!isMachineName(host)) return undefined;
  return {
    reason: 'InvalidHost',
    message: 'spec.host: expected a name that is neither an IP address nor localhost',
  };
}
