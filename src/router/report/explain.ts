import { X509Certificate } from 'node:crypto';
import { countText, printable } from '../../engine/system/text/readable-text.ts';
import type { Decision } from '../decide/decide.ts';
import { placeOf } from '../decide/host-claims.ts';
import type { RejectedRoute } from '../decide/verdict.ts';
import type { RouteBackend } from '../model.ts';
import {
  answerOf,
  certificateOwner,
  hostName,
  matchingBackends,
  type RouterAnswer,
  type RouterRequest,
} from '../render/reference-matcher.ts';
import { coversHost } from '../render/route-files.ts';
import { printableRoutes } from '../render/unprintable.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

/** Which route answers a request, and why other candidates do not. */
interface Explanation {
  readonly request: RouterRequest;
  readonly answer: RouterAnswer['kind'];
  /** `namespace:name` of the answering route. */
  readonly route?: string;
  readonly backend?: string;
  readonly place?: string;
  readonly servers?: readonly { readonly name: string; readonly weight: number }[];
  readonly certificate?: ShownCertificate;
  readonly remarks: readonly string[];
  readonly others: readonly OtherRoute[];
}

interface ShownCertificate {
  /** The router accepts no TLS for this host. */
  readonly refused?: true;
  /** The route that provides the certificate; undefined for the default certificate. */
  readonly route?: string;
  readonly names?: string;
  readonly expires?: string;
}

interface OtherRoute {
  readonly route: string;
  readonly place: string;
  readonly why: string;
}

/** `fallback` is the default certificate. With strict-sni it is served only for hosts that it covers. */
export function explain(
  { admission, model }: Decision,
  request: RouterRequest,
  settings: Pick<RouterSettings, 'lookup' | 'strictSni'>,
  fallback: X509Certificate,
): Explanation {
  const { backends, leftOut } = printableRoutes(model.backends);
  const answer = answerOf({ backends }, request);
  const backend = answer.kind === 'none' ? undefined : answer.backend;
  const matching = matchingBackends(backends, request.host, request.path);
  const others = matching
    .filter((each) => each !== backend)
    .map((each) => ({ route: each.key, place: placeOf(each), why: whyNot(each, request, backend) }));
  // Passthrough connections are routed before the path is known.
  const path = request.scheme === 'https' && backend?.kind === 'passthrough' ? '' : request.path;
  const rejected = matchingBackends(admission.rejected, request.host, path).map(rejectedRoute);
  const unprinted = matchingBackends(model.backends, request.host, path).flatMap((each) => {
    const problem = leftOut.find(({ key }) => key === each.key)?.problem;
    const why = `left out: ${problem} cannot be printed`;
    return problem === undefined ? [] : [{ route: each.key, place: placeOf(each), why }];
  });
  const showsCertificate = request.scheme === 'https' && backend?.kind !== 'passthrough';
  return {
    request: { ...request, host: hostName(request.host) },
    answer: answer.kind,
    ...(backend && { ...answering(backend) }),
    ...(showsCertificate && {
      certificate: certificateOf(
        certificateOwner({ backends }, request.host),
        settings.strictSni && !coversHost(fallback, hostName(request.host)),
      ),
    }),
    remarks: [...(backend?.remarks ?? []), ...(settings.lookup === 'regex' ? [REGEX] : [])],
    others: [...others, ...unprinted, ...rejected],
  };
}

const REGEX = 'with --lookup regex the result differs for some paths and hosts: docs/compat.md';

function answering(backend: RouteBackend) {
  const servers = backend.servers.map(({ name, weight }) => ({ name, weight }));
  return { route: backend.key, backend: backend.name, place: placeOf(backend), servers };
}

function certificateOf(owner: RouteBackend | undefined, isDefaultRefused: boolean): ShownCertificate {
  const pem = owner?.certificate?.pem;
  if (owner === undefined || pem === undefined) return isDefaultRefused ? { refused: true } : {};
  const certificate = new X509Certificate(pem.slice(pem.indexOf('-----BEGIN CERTIFICATE')));
  return {
    route: owner.key,
    names: certificate.subjectAltName ?? certificate.subject,
    expires: certificate.validToDate.toISOString(),
  };
}

function rejectedRoute({ key, reason, message, holder, ...place }: RejectedRoute): OtherRoute {
  const by = holder === undefined ? '' : ` (${holder})`;
  return { route: key, place: placeOf(place), why: `not admitted: ${reason}: ${message}${by}` };
}

/** Why a matching admitted route does not answer. */
function whyNot(
  { kind, insecure, host, wildcard, path }: RouteBackend,
  { scheme }: RouterRequest,
  winner: RouteBackend | undefined,
): string {
  if (scheme === 'https' && kind === 'http') return 'the route has no TLS';
  if (scheme === 'https' && winner?.kind === 'passthrough')
    return 'passthrough connections are routed by host alone';
  if (scheme === 'http' && (kind === 'passthrough' || (kind !== 'http' && insecure === 'None')))
    return 'the route accepts no requests without TLS (insecureEdgeTerminationPolicy None)';
  if (winner !== undefined && wildcard && !winner.wildcard) return 'an exact host wins over a wildcard';
  if (winner !== undefined && winner.host === host && path.length < winner.path.length)
    return 'a longer path wins over a shorter one';
  if (winner?.host === host && winner.path === path && winner.pathMatch === 'exact')
    return 'an exact path wins over a prefix';
  return 'only the most specific route decides whether clients are redirected';
}

/** The explanation for people. Tenants choose names and messages, so control characters are removed. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const { request, certificate, remarks, others } = explanation;
  return [
    `${request.scheme}://${request.host}${request.path}`,
    `  ${answerText(explanation)}`,
    ...(certificate === undefined ? [] : [`  certificate: ${certificateText(certificate)}`]),
    ...remarks.map((remark) => `  remark: ${remark}`),
    ...(others.length === 0 ? [] : ['other matching routes']),
    ...others.map(({ route, place, why }) => `  ${route} (${place}): ${why}`),
  ].map((line) => line.slice(0, line.search(/\S/)) + printable(line));
}

function answerText({ answer, route, backend, place, servers = [] }: Explanation): string {
  if (answer === 'none') return 'no route answers: 503';
  const of = `route ${route} (${place})`;
  if (answer === 'redirect') return `redirected to https by ${of}`;
  const taking = servers.filter(({ weight }) => weight > 0).length;
  const pods = taking === 0 ? 'no server accepts requests: 503' : countText(taking, 'server');
  return `answered by ${of} through ${backend}: ${pods}`;
}

function certificateText({ refused, route, names, expires }: ShownCertificate): string {
  if (refused) return 'none: TLS to this host is refused (--strict-sni)';
  return route === undefined
    ? "the router's default certificate"
    : `of ${route}, for ${names}, until ${expires}`;
}
