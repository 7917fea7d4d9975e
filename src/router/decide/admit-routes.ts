import { isDeepStrictEqual } from 'node:util';
import { eachOncePer } from '../../engine/system/once-per.ts';
import { isSameList, whileSame } from '../../engine/system/same-list.ts';
import type { Route, RouteTls } from '../follow/route.ts';
import type { Secret } from '../follow/secret.ts';
import type { SecretReview } from '../follow/secret-reviews.ts';
import { keyOf } from '../metadata.ts';
import type { InsecurePolicy } from '../model.ts';
import { isPath, MAX_PATH_CHARACTERS } from '../safe-text.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import { type AwardedPlace, areEqualLists, awardPlaces, createHeldPlaces } from './award-places.ts';
import { checkTls } from './check-tls.ts';
import { type RequestedPlace, requestedPlace } from './requested-places.ts';
import { allowlistProblem } from './route-annotations.ts';
import { tlsProblem } from './tls-rules.ts';
import {
  type Admission,
  type AdmittedRoute,
  internalError,
  type Refusal,
  type RejectedRoute,
  type RouteClaim,
} from './verdict.ts';

/**
 * Decides which routes are served. The order of the input does not matter, so all replicas decide alike. Routes whose status already holds the
 * host come first, then the oldest by creation time, UID and key. A route that is refused for its own content keeps its host: a mistake in a
 * certificate must not give the host to another route.
 */
export function admitRoutes(
  routes: readonly Route[],
  secrets: readonly Secret[],
  policy: AdmissionPolicy,
  reviews?: readonly SecretReview[],
): Admission {
  return createAdmission(policy)(routes, secrets, reviews);
}

/**
 * `admitRoutes` for successive lists. Hosts are awarded again only when a route is added, removed or changes the place that it requests. If only
 * a route's content changed, as with a renewed certificate, only the content is checked again. A route whose admission is unchanged stays the
 * same object in the result, so that comparisons are cheap.
 */
export function createAdmission(
  policy: AdmissionPolicy,
): (routes: readonly Route[], secrets: readonly Secret[], reviews?: readonly SecretReview[]) => Admission {
  const requestedOf = eachOncePer((route: Route) => requestedPlace(route, policy));
  const cellsOf = eachOncePer((): Cell => ({}));
  const heldOf = createHeldPlaces(policy);
  const secretsByKey = whileSame((secrets: readonly Secret[]) => byKey(secrets));
  const reviewsByKey = whileSame((reviews: readonly SecretReview[]) => byKey(reviews));
  let last: Awarded = { requested: [], held: [], places: [] };
  const award = (routes: readonly Route[]): readonly AwardedPlace[] => {
    const requested = requestedOf(routes);
    const held = heldOf.held(routes, requested);
    if (!areEqualLists(last.requested, requested) || !isSameList(last.held, held)) {
      const places = awardPlaces(requested, new Set(held), policy.namespaceOwnership);
      last = { requested, held, places: areEqualLists(last.places, places) ? last.places : places };
    }
    heldOf.awarded(routes, last.places);
    return last.places;
  };
  return (routes, list, reviewed) => {
    const places = award(routes);
    const known = { secrets: secretsByKey(list), reviews: reviewed && reviewsByKey(reviewed) };
    const admitted: AdmittedRoute[] = [];
    const rejected: RejectedRoute[] = [];
    const cells = cellsOf(routes);
    for (const place of places) {
      const route = routes[place.index];
      const cell = cells[place.index];
      if (route === undefined || cell === undefined) continue;
      const verdict = verdictIn(cell, route, place, known);
      if ('reason' in verdict) rejected.push(verdict);
      else admitted.push(verdict);
    }
    return { admitted, rejected };
  };
}

interface Awarded {
  readonly requested: readonly RequestedPlace[];
  readonly held: readonly number[];
  readonly places: readonly AwardedPlace[];
}

type Verdict = AdmittedRoute | RejectedRoute;

/** The last verdict on a route, with the inputs that it depends on besides the route itself. */
interface Cell {
  made?: { readonly place: AwardedPlace; readonly named: readonly unknown[]; readonly verdict: Verdict };
}

interface KnownSecrets {
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly reviews: SecretReviews;
}

function verdictIn(cell: Cell, route: Route, place: AwardedPlace, known: KnownSecrets): Verdict {
  const named = attempt(() => namedBy(route, known)) ?? none;
  const { made } = cell;
  const isCurrent =
    made !== undefined &&
    (made.place === place || isDeepStrictEqual(made.place.refusal, place.refusal)) &&
    isSameList(made.named, named);
  if (isCurrent) return made.verdict;
  const verdict = judge(route, place, known);
  cell.made = { place, named, verdict };
  return verdict;
}

/** An unreadable route is refused later, in `judge`. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The Secrets that a route names, and the review of its own Secret. */
function namedBy({ namespace, tls }: Route, { secrets, reviews }: KnownSecrets): readonly unknown[] {
  if (tls === undefined || (tls.secret === undefined && tls.destinationCaSecret === undefined)) return none;
  const keys = [tls.secret, tls.destinationCaSecret].map((name = '') => keyOf({ namespace, name }));
  return [...keys.map((key) => secrets.get(key)), reviews?.get(keys[0] ?? ''), reviews === undefined];
}

const none: readonly unknown[] = [];

function judge(
  route: Route,
  { requested: { key, kind, host, wildcard, path, pathMatch }, refusal }: AwardedPlace,
  known: KnownSecrets,
): Verdict {
  const claim = { route, key, kind, host, wildcard, path, pathMatch };
  try {
    // A lost host is reported first: with any other reason, the status means that the route holds its host.
    const isClaimed = refusal?.reason === 'HostAlreadyClaimed';
    const content = (isClaimed ? refusal : (route.invalid ?? refusal)) ?? contentOf(claim, known);
    if ('reason' in content) return { ...claim, ...content };
    return { ...claim, insecure: content.insecure, tls: content.tls };
  } catch (error) {
    return { ...claim, ...internalError(error) };
  }
}

type Content = Pick<AdmittedRoute, 'insecure' | 'tls'>;

const withoutTls: Content = { insecure: 'None', tls: {} };

/** A route's content, or why its fields are refused. */
function contentOf({ route, path }: RouteClaim, { secrets, reviews }: KnownSecrets): Content | Refusal {
  const refuse = (message: string): Refusal => ({ reason: 'ExtendedValidationFailed', message });
  if (path.length > MAX_PATH_CHARACTERS)
    return refuse(`spec.path: it has ${path.length} characters, expected at most ${MAX_PATH_CHARACTERS}`);
  if (path !== '' && !isPath(path))
    return refuse("spec.path: expected / followed by characters of a URL path except ' and ;");
  const allowlist = allowlistProblem(route.annotations);
  if (allowlist !== undefined) return refuse(allowlist);
  if (route.tls === undefined) return withoutTls;
  const problem = tlsProblem(route.tls, path);
  if (problem !== undefined) return refuse(problem);
  const tls = consentRefusal(route, reviews) ?? withSecrets(route, route.tls, secrets);
  if ('reason' in tls) return tls;
  const check = checkTls(tls);
  if (check.kind === 'invalid') {
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

/** Fills in certificates and keys from the Secrets that the route names. */
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
    // Without Ingresses, Secrets of other types are not listed.
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
  const own = find(tls.secret);
  const ca = find(tls.destinationCaSecret);
  if (own?.isTls === false) return invalid(own.name, 'type kubernetes.io/tls');
  if (ca?.certificate === '') return invalid(ca.name, "the pods' CA in tls.crt");
  return {
    ...tls,
    ...(own && { certificate: own.certificate, key: own.key }),
    ...(ca && { destinationCaCertificate: ca.certificate }),
  };
}

function byKey<T extends { readonly namespace: string; readonly name: string }>(
  list: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(list.map((each) => [keyOf(each), each]));
}

/** Reviews by the Secret's key. Undefined if none were requested, as when the objects come from a file. */
export type SecretReviews = ReadonlyMap<string, SecretReview> | undefined;

/**
 * Why a Route may not use the Secret that it names; undefined if it may. The Route's namespace must allow the router to get the Secret: a user who
 * may write Routes cannot necessarily read Secrets, and serving a certificate uses it without reading it. The permission is checked before the
 * Secret's existence, so that tenants cannot probe for names. An Ingress names Secrets for any controller and needs no permission.
 */
function consentRefusal(
  { namespace, ingress, tls }: Pick<Route, 'namespace' | 'ingress' | 'tls'>,
  reviews: SecretReviews,
): Refusal | undefined {
  if (reviews === undefined || ingress !== undefined || tls?.secret === undefined) return undefined;
  const review = reviews.get(keyOf({ namespace, name: tls.secret }));
  if (review?.verdict === 'allowed') return undefined;
  const secret = `Secret ${namespace}/${tls.secret}`;
  const message =
    review?.verdict === 'denied'
      ? `the router may not get ${secret}: expected a Role in namespace ${namespace} that allows get on this Secret, and a RoleBinding to ${review.user ?? "the router's service account"}`
      : `the API did not answer whether the router may get ${secret}`;
  return { reason: 'ExternalCertificateValidationFailed', message };
}
