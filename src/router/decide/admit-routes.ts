import { isDeepStrictEqual } from 'node:util';
import { eachOncePer } from '../../engine/system/once-per.ts';
import { isSameList, whileSame } from '../../engine/system/same-list.ts';
import type { Route, RouteTls } from '../follow/route.ts';
import type { Secret } from '../follow/secret.ts';
import type { SecretReview } from '../follow/secret-reviews.ts';
import { keyOf } from '../metadata.ts';
import type { InsecurePolicy } from '../model.ts';
import { isPath, MOST_PATH_CHARACTERS } from '../safe-text.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import { type AskedPlace, askedBy } from './asked-places.ts';
import { type AwardedPlace, awardPlaces, createHeldPlaces, isSameEach } from './award-places.ts';
import { checkTls } from './check-tls.ts';
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
 * Which routes are served. The same for every order of the routes, so that all replicas decide alike: Routes whose status says that they have their
 * host come first, then the oldest, by the time of creation, then by UID, then by key. A route that is wrong in itself holds its host all the
 * same: a mistake in a certificate must not give the host to another route.
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
 * The same for successive lists. Hosts are awarded again when a route is added, removed or asks for something else. If only a route's content
 * changed, as with a renewed certificate, only that is checked again. A route whose admission is unchanged stays the same object in the answer,
 * so that it is cheap to compare.
 */
export function createAdmission(
  policy: AdmissionPolicy,
): (routes: readonly Route[], secrets: readonly Secret[], reviews?: readonly SecretReview[]) => Admission {
  const askedOf = eachOncePer((route: Route) => askedBy(route, policy));
  const cellsOf = eachOncePer((): Cell => ({}));
  const heldOf = createHeldPlaces(policy);
  const secretsByKey = whileSame((secrets: readonly Secret[]) => byKey(secrets));
  const reviewsByKey = whileSame((reviews: readonly SecretReview[]) => byKey(reviews));
  let last: Awarded = { asked: [], held: [], places: [] };
  const award = (routes: readonly Route[]): readonly AwardedPlace[] => {
    const asked = askedOf(routes);
    const held = heldOf.held(routes, asked);
    if (!isSameEach(last.asked, asked) || !isSameList(last.held, held)) {
      const places = awardPlaces(asked, new Set(held), policy.namespaceOwnership);
      last = { asked, held, places: isSameEach(last.places, places) ? last.places : places };
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
  readonly asked: readonly AskedPlace[];
  readonly held: readonly number[];
  readonly places: readonly AwardedPlace[];
}

type Verdict = AdmittedRoute | RejectedRoute;

/** The verdict about a route, and its inputs besides the route itself. */
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

/** An unreadable route is refused when it is judged. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The Secrets that a route names, and the review of its own one. */
function namedBy({ namespace, tls }: Route, { secrets, reviews }: KnownSecrets): readonly unknown[] {
  if (tls === undefined || (tls.secret === undefined && tls.destinationCaSecret === undefined)) return none;
  const keys = [tls.secret, tls.destinationCaSecret].map((name = '') => keyOf({ namespace, name }));
  return [...keys.map((key) => secrets.get(key)), reviews?.get(keys[0] ?? ''), reviews === undefined];
}

const none: readonly unknown[] = [];

function judge(
  route: Route,
  { asked: { key, kind, host, wildcard, path, pathMatch }, refusal }: AwardedPlace,
  known: KnownSecrets,
): Verdict {
  const claim = { route, key, kind, host, wildcard, path, pathMatch };
  try {
    // The claim first: the status of a route that only cannot be read says that it holds its host.
    const isClaimed = refusal?.reason === 'HostAlreadyClaimed';
    const content = (isClaimed ? refusal : (route.wrong ?? refusal)) ?? contentOf(claim, known);
    if ('reason' in content) return { ...claim, ...content };
    return { ...claim, insecure: content.insecure, tls: content.tls };
  } catch (error) {
    return { ...claim, ...internalError(error) };
  }
}

type Content = Pick<AdmittedRoute, 'insecure' | 'tls'>;

const withoutTls: Content = { insecure: 'None', tls: {} };

/** A route's content, or why its own fields are refused. */
function contentOf({ route, path }: RouteClaim, { secrets, reviews }: KnownSecrets): Content | Refusal {
  const refuse = (message: string): Refusal => ({ reason: 'ExtendedValidationFailed', message });
  if (path.length > MOST_PATH_CHARACTERS)
    return refuse(`spec.path: it has ${path.length} characters, expected at most ${MOST_PATH_CHARACTERS}`);
  if (path !== '' && !isPath(path))
    return refuse("spec.path: expected / and characters that a request's path has, without ' and ;");
  if (route.tls === undefined) return withoutTls;
  const problem = tlsProblem(route.tls, path);
  if (problem !== undefined) return refuse(problem);
  const tls = consentRefusal(route, reviews) ?? withSecrets(route, route.tls, secrets);
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
  const own = find(tls.secret);
  const ca = find(tls.destinationCaSecret);
  if (own?.isTls === false) return invalid(own.name, 'the type kubernetes.io/tls');
  if (ca?.certificate === '') return invalid(ca.name, 'the CA of the pods in tls.crt');
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

/** By the Secret's key. Undefined: nobody was asked, as for a file of objects. */
export type SecretReviews = ReadonlyMap<string, SecretReview> | undefined;

/**
 * Why a Route may not use the Secret that it names; undefined if it may. Its namespace has to let the router get that Secret: a user who may
 * write Routes may not always read Secrets, and a served certificate is used without being read. Permission is checked before the Secret's
 * existence, so that a tenant cannot probe for names. Ingresses name Secrets for every controller, and need no permission.
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
      ? `the router may not get ${secret}: expected a Role in namespace ${namespace} with get for this Secret, and a RoleBinding of it to ${review.user ?? "the router's service account"}`
      : `the API does not say whether the router may get ${secret}`;
  return { reason: 'ExternalCertificateValidationFailed', message };
}
