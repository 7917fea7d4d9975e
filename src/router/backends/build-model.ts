import { createHash } from 'node:crypto';
import { exactList } from '../../engine/system/exact-list.ts';
import { changedSpan, whileSame } from '../../engine/system/same-list.ts';
import { type AdmittedRoute, internalError, type RejectedRoute } from '../admission/verdict.ts';
import {
  type BackendTimeouts,
  backendPrefix,
  type HeaderAction,
  type PodVerification,
  type RouteBackend,
  type RouterModel,
  type SessionCookie,
} from '../model.ts';
import type { RouterObjects } from '../objects/router-objects.ts';
import type { BackendDefaults } from './backend-defaults.ts';
import { serversOf } from './backend-servers.ts';
import { headerActions } from './header-actions.ts';
import { type RouteAnnotations, readAnnotations } from './route-annotations.ts';
import { createServiceEndpoints, type EndpointsOfService, type FindEndpoints } from './service-endpoints.ts';
import { serviceWeights } from './weights.ts';

interface Joined {
  readonly model: RouterModel;
  readonly failed: readonly RejectedRoute[];
}

type BuildModel = (
  admitted: readonly AdmittedRoute[],
  objects: Pick<RouterObjects, 'endpoints' | 'services'>,
) => Joined;

/**
 * Joins the admitted routes with their endpoints. Equal objects give an equal model, whatever order they come in. A route that
 * cannot be joined is not in it, and is among `failed`. A backend of which all that it was made of is as before is the same object.
 */
export function createModelBuilder(defaults: BackendDefaults): BuildModel {
  const endpointsOf = createServiceEndpoints();
  const before = new WeakMap<AdmittedRoute, Made>();
  const shares = whileSame(sharedCertificates);
  let last: Pass = { admitted: [], made: [], isShared: () => false };
  return (admitted, { endpoints, services }) => {
    const { find, changed } = endpointsOf(endpoints, services);
    const isShared = shares(admitted);
    const isSame = ({ found, shared }: Made): boolean =>
      found.every(([key, was]) => find(key) === was) &&
      shared.every(([fingerprint, was]) => isShared(fingerprint) === was);
    const isAsFound = (asked: Made['found'][number]): boolean => changed?.has(asked[0]) === false;
    /** Of what was made in the last pass: nothing that was asked for it has had another answer since. */
    const isUntouched = ({ found, shared }: Made): boolean =>
      found.every(isAsFound) && (shared.length === 0 || isShared === last.isShared);
    const madeFor = (route: AdmittedRoute): Made => {
      const known = before.get(route);
      if (known !== undefined && isSame(known)) return known;
      const [toFind, toShare] = [noting(find), noting(isShared)];
      const backend = backendOf(route, toFind.ask, toShare.ask, defaults);
      const made = { backend, found: exactList(toFind.answers), shared: exactList(toShare.answers) };
      before.set(route, made);
      return made;
    };
    const { start, end } = changedSpan(last.admitted, admitted);
    const more = admitted.length - last.admitted.length;
    const failed: RejectedRoute[] = [];
    const made = admitted.map((each, at) => {
      const isBetween = at >= start && at < admitted.length - end;
      const known = isBetween ? undefined : last.made[at < start ? at : at - more];
      if (known !== undefined && isUntouched(known)) return known;
      try {
        return madeFor(each);
      } catch (error) {
        const { route, key, kind, host, wildcard, path } = each;
        failed.push({ route, key, kind, host, wildcard, path, ...internalError(error) });
        return undefined;
      }
    });
    last = { admitted, made, isShared };
    return { model: { backends: backendsOf(made) }, failed };
  };
}

/** What was made of each admitted route, undefined where that failed. */
interface Pass {
  readonly admitted: readonly AdmittedRoute[];
  readonly made: readonly (Made | undefined)[];
  readonly isShared: (fingerprint: string) => boolean;
}

function backendsOf(made: Pass['made']): readonly RouteBackend[] {
  const backends: RouteBackend[] = [];
  for (const each of made) if (each !== undefined) backends.push(each.backend);
  return backends;
}

/** A backend, and all that was asked for it beside the route itself. */
interface Made {
  readonly backend: RouteBackend;
  readonly found: readonly (readonly [string, EndpointsOfService])[];
  readonly shared: readonly (readonly [string, boolean])[];
}

/** Writes down what is asked and answered. */
function noting<T>(ask: (key: string) => T) {
  const answers: (readonly [string, T])[] = [];
  const note = (key: string): T => {
    const answer = ask(key);
    answers.push([key, answer]);
    return answer;
  };
  return { ask: note, answers };
}

/** Browsers join connections to hosts with one certificate, and would then ask the wrong route. */
function sharedCertificates(admitted: readonly AdmittedRoute[]): (fingerprint: string) => boolean {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { tls } of admitted) {
    const fingerprint = tls.certificate?.fingerprint;
    if (fingerprint === undefined) continue;
    if (seen.has(fingerprint)) shared.add(fingerprint);
    seen.add(fingerprint);
  }
  return (fingerprint) => shared.has(fingerprint);
}

function backendOf(
  admitted: AdmittedRoute,
  find: FindEndpoints,
  isShared: (fingerprint: string) => boolean,
  defaults: BackendDefaults,
): RouteBackend {
  const { route, key, kind, host, wildcard, path, insecure, tls } = admitted;
  const asked = readAnnotations(route.annotations);
  const weights = serviceWeights(route.services);
  const { servers, remarks } = serversOf(admitted, weights, find, asked, defaults);
  const [request, response] = (['request', 'response'] as const).map((of) =>
    headerActions(route.headers[of], of),
  );
  const hasTls = kind === 'edge' || kind === 'reencrypt';
  const isTcp = kind === 'passthrough';
  const cookie = isTcp ? undefined : cookieOf(admitted, asked, defaults);
  const several = [...weights.values()].filter((weight) => weight > 0).length > 1;
  const usual = isTcp ? defaults.tcpBalance : defaults.httpBalance;
  return {
    key,
    name: `${backendPrefix[kind]}:${key}`,
    kind,
    host,
    wildcard,
    path,
    insecure,
    ...(tls.certificate && {
      certificate: {
        pem: tls.certificate.pem,
        http2: defaults.http2 && !isShared(tls.certificate.fingerprint),
      },
    }),
    balance: asked.balance ?? (several ? 'roundrobin' : usual),
    servers: exactList(servers),
    ...(cookie && { cookie }),
    timeouts: timeoutsOf(asked, isTcp),
    ...(asked.allowlist && { allowlist: asked.allowlist }),
    ...(asked.rateLimit && { rateLimit: asked.rateLimit }),
    forwarded: asked.forwarded ?? defaults.forwarded,
    ...(asked.hsts !== undefined && hasTls && { hsts: asked.hsts }),
    ...(asked.rewriteTarget !== undefined && !isTcp && { rewriteTarget: asked.rewriteTarget }),
    headers: headersOf(request?.actions ?? [], response?.actions ?? []),
    adjustCase: asked.adjustCase,
    ...(kind === 'reencrypt' && { verify: verificationOf(tls.destinationCaPem, defaults) }),
    remarks: exactList([
      ...asked.remarks,
      ...(asked.hsts !== undefined && !hasTls
        ? ['hsts_header: ignored, the router does not end its TLS']
        : []),
      ...(request?.remarks ?? []),
      ...(response?.remarks ?? []),
      ...remarks,
    ]),
  };
}

const noHeaders: RouteBackend['headers'] = { request: [], response: [] };

function headersOf(
  request: readonly HeaderAction[],
  response: readonly HeaderAction[],
): RouteBackend['headers'] {
  return request.length + response.length === 0
    ? noHeaders
    : { request: exactList(request), response: exactList(response) };
}

/** The name and the value of a cookie are the same in every replica, and tell nothing of names and addresses. */
function cookieOf(
  { key, kind, insecure }: AdmittedRoute,
  { disableCookies, cookieName, sameSite }: RouteAnnotations,
  defaults: BackendDefaults,
): SessionCookie | undefined {
  if (disableCookies) return undefined;
  // openshift-router puts the termination in front, but before it knows it: clients keep their sessions in a migration.
  const name = cookieName ?? defaults.cookieName ?? createHash('md5').update(` ${key}`).digest('hex');
  const secure = (kind === 'edge' || kind === 'reencrypt') && insecure !== 'Allow';
  return secure ? { name, secure, sameSite } : { name, secure };
}

const noTimeouts: BackendTimeouts = {};

function timeoutsOf({ timeoutMs, tunnelMs }: RouteAnnotations, isTcp: boolean): BackendTimeouts {
  if (timeoutMs === undefined && tunnelMs === undefined) return noTimeouts;
  const tunnel = tunnelMs ?? (isTcp ? timeoutMs : undefined);
  return {
    ...(timeoutMs !== undefined && !isTcp && { serverMs: timeoutMs }),
    ...(tunnel !== undefined && { tunnelMs: tunnel }),
  };
}

function verificationOf(caPem: string | undefined, defaults: BackendDefaults): PodVerification {
  if (caPem !== undefined) return { kind: 'route-ca', pem: caPem };
  return defaults.hasDefaultDestinationCa ? { kind: 'default-ca' } : { kind: 'none' };
}
