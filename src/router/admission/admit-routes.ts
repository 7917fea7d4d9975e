import { oncePer } from '../../engine/system/once-per.ts';
import { checkTls } from '../certificates/check-tls.ts';
import type { InsecurePolicy } from '../model.ts';
import { keyOf } from '../objects/metadata.ts';
import type { Route, RouteTls } from '../objects/route.ts';
import type { Secret } from '../objects/secret.ts';
import { isHostName, isPath } from '../safe-text.ts';
import type { AdmissionPolicy } from './admission-policy.ts';
import { createHostClaims, type HostClaims } from './host-claims.ts';
import { hostOf, isInDomains, parentDomain } from './host-of.ts';
import { kindOf, tlsProblem } from './tls-rules.ts';
import {
  type Admission,
  type AdmittedRoute,
  internalError,
  type Refusal,
  type RejectedRoute,
  type RouteClaim,
} from './verdict.ts';

/**
 * Which routes are served. The same for every order of the routes, so that all replicas decide alike: the oldest comes first,
 * by the time of its creation, then its UID, then its key. A route that is wrong in itself holds its host all the same:
 * a mistake in a certificate must not give the host to somebody else.
 */
export function admitRoutes(
  routes: readonly Route[],
  secrets: readonly Secret[],
  policy: AdmissionPolicy,
): Admission {
  return createAdmission(policy)(routes, secrets);
}

/** The same for one list after another. A route that is admitted as before is the same object in the answer, so that it is cheap to see. */
export function createAdmission(
  policy: AdmissionPolicy,
): (routes: readonly Route[], secrets: readonly Secret[]) => Admission {
  const asked = oncePer((route: Route): Asked => {
    const claim = claimOf(route, policy);
    return { claim, refusal: policyRefusal(claim, policy) ?? hostRefusal(claim) };
  });
  const before = new WeakMap<Route, AdmittedRoute>();
  const sameAsBefore = (admitted: AdmittedRoute): AdmittedRoute => {
    const known = before.get(admitted.route);
    if (known !== undefined && known.tls === admitted.tls && known.insecure === admitted.insecure)
      return known;
    before.set(admitted.route, admitted);
    return admitted;
  };
  return (routes, secrets) =>
    passOver(
      routes,
      {
        asked,
        secrets: new Map(secrets.map((secret) => [keyOf(secret), secret])),
        claims: createHostClaims(policy.namespaceOwnership),
        keys: new Set(),
      },
      sameAsBefore,
    );
}

/** What a route asks for, and why it cannot have it, whatever others have. */
interface Asked {
  readonly claim: RouteClaim;
  readonly refusal: Refusal | undefined;
}

function passOver(
  routes: readonly Route[],
  pass: Pass,
  sameAsBefore: (admitted: AdmittedRoute) => AdmittedRoute,
): Admission {
  const admitted: AdmittedRoute[] = [];
  const rejected: RejectedRoute[] = [];
  for (const route of [...routes].sort(olderFirst)) {
    const judged = judge(route, pass);
    if ('reason' in judged) rejected.push(judged);
    else admitted.push(sameAsBefore(judged));
    pass.keys.add(judged.key);
  }
  return { admitted: admitted.sort(byKey), rejected: rejected.sort(byKey) };
}

/** What the routes before left. */
interface Pass {
  readonly asked: (route: Route) => Asked;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly claims: HostClaims;
  readonly keys: Set<string>;
}

function judge(route: Route, { asked, secrets, claims, keys }: Pass): AdmittedRoute | RejectedRoute {
  let claim: RouteClaim = { route, key: keyOf(route), kind: 'http', host: '', wildcard: false, path: '' };
  try {
    const own = asked(route);
    claim = own.claim;
    const refusal = (keys.has(claim.key) ? twice : undefined) ?? own.refusal ?? claims.claim(claim);
    return { ...claim, ...(route.wrong ?? refusal ?? contentOf(claim, secrets)) };
  } catch (error) {
    return { ...claim, ...internalError(error) };
  }
}

const twice: Refusal = { reason: 'RouteNotAdmitted', message: 'another object has the same name' };

function olderFirst(a: Route, b: Route): number {
  return a.createdMs - b.createdMs || compareText(a.uid, b.uid) || compareText(keyOf(a), keyOf(b));
}

function byKey(a: RouteClaim, b: RouteClaim): number {
  return compareText(a.key, b.key);
}

/** By code units: the same in every locale. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function claimOf(route: Route, policy: AdmissionPolicy): RouteClaim {
  const host = hostOf(route, policy);
  const wildcard = route.wildcardPolicy === 'Subdomain';
  return {
    route,
    key: keyOf(route),
    kind: kindOf(route.tls) ?? 'http',
    host: wildcard ? parentDomain(host) : host,
    wildcard,
    path: /^\/*$/.test(route.path) ? '' : route.path,
  };
}

function policyRefusal({ route, host, wildcard }: RouteClaim, policy: AdmissionPolicy): Refusal | undefined {
  const refuse = (message: string): Refusal => ({ reason: 'RouteNotAdmitted', message });
  if (route.unsupported !== undefined) return refuse(route.unsupported);
  if (host !== '' && isInDomains(host, policy.deniedDomains)) return refuse('the host is in a denied domain');
  if (wildcard && policy.deniedDomains.some((domain) => parentDomain(domain) === host))
    return refuse('the wildcard would answer for a denied domain');
  if (host !== '' && policy.allowedDomains.length > 0 && !isInDomains(host, policy.allowedDomains))
    return refuse('the host is in none of the allowed domains');
  if (wildcard && !policy.allowWildcards) return refuse('wildcard routes are not allowed');
  if (!wildcard && route.wildcardPolicy !== 'None')
    return refuse('spec.wildcardPolicy: expected None or Subdomain');
  return undefined;
}

function hostRefusal({ route, host, wildcard }: RouteClaim): Refusal | undefined {
  if (host === '' && !(wildcard && route.host !== ''))
    return { reason: 'NoHostValue', message: 'the route has no host, and the router chooses none' };
  const message =
    'expected a DNS name in lower case, without a dot at its end, of labels up to 63 characters';
  return isHostName(host) ? undefined : { reason: 'InvalidHost', message: `spec.host: ${message}` };
}

type Content = Pick<AdmittedRoute, 'insecure' | 'tls'>;

const withoutTls: Content = { insecure: 'None', tls: {} };

/** What is wrong with a route in itself, or what it is worth. */
function contentOf({ route, path }: RouteClaim, secrets: ReadonlyMap<string, Secret>): Content | Refusal {
  const refuse = (message: string): Refusal => ({ reason: 'ExtendedValidationFailed', message });
  if (path !== '' && !isPath(path))
    return refuse("spec.path: expected / and characters that a request's path has, without ' and ;");
  if (route.tls === undefined) return withoutTls;
  const problem = tlsProblem(route.tls, path);
  if (problem !== undefined) return refuse(problem);
  const tls = withSecrets(route, route.tls, secrets);
  if ('reason' in tls) return tls;
  const check = checkTls(tls);
  if (check.kind === 'wrong') {
    const { secret, destinationCaSecret } = route.tls;
    const isOwn = secret === undefined && destinationCaSecret === undefined;
    const reason = isOwn ? 'ExtendedValidationFailed' : 'ExternalCertificateValidationFailed';
    return { reason, message: `spec.tls.${check.message}` };
  }
  return { insecure: insecureOf(route.tls), tls: check.tls };
}

function insecureOf({ insecurePolicy }: RouteTls): InsecurePolicy {
  return (['Allow', 'Redirect'] as const).find((policy) => policy === insecurePolicy) ?? 'None';
}

/** With what the Secrets hold that the route names. */
function withSecrets(
  { namespace }: Route,
  tls: RouteTls,
  secrets: ReadonlyMap<string, Secret>,
): RouteTls | Refusal {
  const names = [tls.secret, tls.destinationCaSecret].filter((name) => name !== undefined);
  if (names.length === 0) return tls;
  const find = (name = '') => secrets.get(keyOf({ namespace, name }));
  const missing = names.find((name) => find(name) === undefined);
  if (missing !== undefined) {
    // Without Ingresses, those of other types are not asked for.
    const ofType = missing === tls.secret ? ' of type kubernetes.io/tls' : '';
    return {
      reason: 'ExternalCertificateGetFailed',
      message: `there is no Secret ${namespace}/${missing}${ofType}`,
    };
  }
  const invalid = (name: string, expected: string): Refusal => ({
    reason: 'ExternalCertificateValidationFailed',
    message: `Secret ${namespace}/${name}: expected ${expected}`,
  });
  const [own, ca] = [find(tls.secret), find(tls.destinationCaSecret)];
  if (own?.isTls === false) return invalid(own.name, 'the type kubernetes.io/tls');
  if (ca?.certificate === '') return invalid(ca.name, 'the CA of the pods in tls.crt');
  return mergedTls(tls, own, ca);
}

interface Merged {
  readonly own: Secret | undefined;
  readonly ca: Secret | undefined;
  readonly tls: RouteTls;
}

/** For each route and its Secrets once, so that the check of the certificates is remembered. */
const merged = new WeakMap<RouteTls, Merged>();

function mergedTls(tls: RouteTls, own: Secret | undefined, ca: Secret | undefined): RouteTls {
  const before = merged.get(tls);
  if (before !== undefined && before.own === own && before.ca === ca) return before.tls;
  const result = {
    ...tls,
    ...(own && { certificate: own.certificate, key: own.key }),
    ...(ca && { destinationCaCertificate: ca.certificate }),
  };
  merged.set(tls, { own, ca, tls: result });
  return result;
}
