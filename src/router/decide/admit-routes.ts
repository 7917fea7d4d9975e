import { whileSame } from '../../engine/system/same-list.ts';
import type { Route, RouteTls } from '../follow/route.ts';
import type { Secret } from '../follow/secret.ts';
import type { SecretReview } from '../follow/secret-reviews.ts';
import { keyOf } from '../metadata.ts';
import type { InsecurePolicy } from '../model.ts';
import { isPath, MOST_PATH_CHARACTERS } from '../safe-text.ts';
import type { AdmissionPolicy } from '../settings/admission-policy.ts';
import { type AskedPlace, createAskedPlaces } from './asked-places.ts';
import { checkTls } from './check-tls.ts';
import { createHeldPlaces } from './held-places.ts';
import { consentRefusal, type SecretReviews } from './secret-consent.ts';
import { isSameSettlement, type SettledPlace, settlePlaces } from './settle-places.ts';
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
 * The same for successive lists. Hosts are settled again when a route is added, removed or asks for something else. If only a route's content
 * changed, as with a renewed certificate, only that is checked again. A route whose admission is unchanged stays the same object in the answer,
 * so that it is cheap to compare.
 */
export function createAdmission(
  policy: AdmissionPolicy,
): (routes: readonly Route[], secrets: readonly Secret[], reviews?: readonly SecretReview[]) => Admission {
  const askedOf = createAskedPlaces(policy);
  const heldOf = createHeldPlaces(policy);
  const settleAnew = whileSame((asked: readonly AskedPlace[], held: readonly number[]) =>
    settlePlaces(asked, new Set(held), policy.namespaceOwnership),
  );
  const secretsByKey = whileSame((secrets: readonly Secret[]) => byKey(secrets));
  const sameAsBefore = createSameAdmitted();
  let last: Judged | undefined;
  return (routes, list, reviewed) => {
    const asked = askedOf(routes);
    const next = settleAnew(asked, heldOf.held(routes, asked));
    // Most statuses that are written confirm what was settled: nothing has to be judged again.
    const settled = last !== undefined && isSameSettlement(last.settled, next) ? last.settled : next;
    heldOf.settled(routes, settled);
    const secrets = secretsByKey(list);
    const reviews = reviewed === last?.reviewed ? last?.reviews : reviewed && byKey(reviewed);
    const isAsBefore = last?.settled === settled && last.secrets === secrets && last.reviews === reviews;
    const before = isAsBefore ? last : undefined;
    const [verdicts, admitted, rejected]: [Verdict[], AdmittedRoute[], RejectedRoute[]] = [[], [], []];
    for (const [position, place] of settled.entries()) {
      const route = routes[place.index];
      if (route === undefined) continue;
      const known = before?.verdicts[position];
      const verdict =
        known?.route === route ? known : sameAsBefore(judge(route, place, { secrets, reviews }));
      verdicts.push(verdict);
      if ('reason' in verdict) rejected.push(verdict);
      else admitted.push(verdict);
    }
    last = { settled, secrets, reviewed, reviews, verdicts };
    return { admitted, rejected };
  };
}

/** The verdicts about the last routes, in the order of `settled`, and their inputs besides the routes themselves. */
interface Judged extends KnownSecrets {
  readonly settled: readonly SettledPlace[];
  readonly reviewed: readonly SecretReview[] | undefined;
  readonly verdicts: readonly Verdict[];
}

interface KnownSecrets {
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly reviews: SecretReviews;
}

type Verdict = AdmittedRoute | RejectedRoute;

function createSameAdmitted(): (verdict: Verdict) => Verdict {
  const before = new WeakMap<Route, AdmittedRoute>();
  return (verdict) => {
    if ('reason' in verdict) return verdict;
    const known = before.get(verdict.route);
    if (known !== undefined && known.tls === verdict.tls && known.insecure === verdict.insecure) return known;
    before.set(verdict.route, verdict);
    return verdict;
  };
}

function judge(
  route: Route,
  { asked: { key, kind, host, wildcard, path, pathMatch }, refusal }: SettledPlace,
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

function byKey<T extends { readonly namespace: string; readonly name: string }>(
  list: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(list.map((each) => [keyOf(each), each]));
}
