import { createHash } from 'node:crypto';
import { exactList } from '../../engine/system/exact-list.ts';
import { eachOncePer } from '../../engine/system/once-per.ts';
import { whileSame } from '../../engine/system/same-list.ts';
import type { RouterObjects } from '../follow/router-objects.ts';
import { keyOf } from '../metadata.ts';
import {
  type BackendTimeouts,
  backendPrefix,
  type HeaderAction,
  type PodVerification,
  type RouteBackend,
  type RouterModel,
  type SessionCookie,
} from '../model.ts';
import type { BackendDefaults } from '../settings/decision-settings.ts';
import { serversOf, serviceWeights } from './backend-servers.ts';
import { headerActions } from './header-actions.ts';
import { type RouteAnnotations, readAnnotations } from './route-annotations.ts';
import { createServiceEndpoints, type FindEndpoints } from './service-endpoints.ts';
import { type AdmittedRoute, claimOf, internalError, type Refusal, type RejectedRoute } from './verdict.ts';

interface Joined {
  readonly model: RouterModel;
  readonly failed: readonly RejectedRoute[];
}

/** `admitted` is sorted by key. */
type BuildModel = (
  admitted: readonly AdmittedRoute[],
  objects: Pick<RouterObjects, 'endpoints' | 'services'>,
) => Joined;

/**
 * Joins the admitted routes with their endpoints. Equal objects produce an equal model in whatever order they were listed. A route that cannot be
 * joined is returned in `failed`. A backend depends only on the admitted route, the endpoints of its services, and whether other routes share its
 * certificate. While these are unchanged, successive models contain the same object.
 */
export function createModelBuilder(defaults: BackendDefaults): BuildModel {
  const endpointsOf = createServiceEndpoints(defaults.denied);
  const sharedIn = whileSame(sharedCertificates);
  const namespaces = new Map<string, NamespaceState>();
  const cellsOf = eachOncePer(
    (each: AdmittedRoute): Cell => ({
      each,
      namespaceState: stateOf(each.key, namespaces),
      pass: 0,
      shared: none,
      isShared: false,
      backend: undefined,
    }),
  );
  let pass = 0;
  return (admitted, { endpoints, services }) => {
    const { find, changed } = endpointsOf(endpoints, services);
    pass += 1;
    const shared = sharedIn(admitted);
    const backends: RouteBackend[] = [];
    const failed: RejectedRoute[] = [];
    for (const state of namespaces.values()) Object.assign(state, { servers: 0, changed: none });
    for (const key of changed) stateOf(key, namespaces).changed = changed;
    for (const cell of cellsOf(admitted)) {
      const { each, namespaceState } = cell;
      try {
        const isShared = cell.shared === shared ? cell.isShared : sharesCertificate(each, shared);
        const isAsBefore = cell.pass === pass - 1 && isShared === cell.isShared;
        if (!isAsBefore || (namespaceState.changed !== none && usesAnyService(each, changed)))
          cell.backend = undefined;
        cell.pass = pass;
        cell.shared = shared;
        cell.isShared = isShared;
        if (namespaceState.servers <= MAX_SERVERS) cell.backend ??= backendOf(each, find, isShared, defaults);
        namespaceState.servers += cell.backend?.servers.length ?? 0;
        if (cell.backend !== undefined && namespaceState.servers <= MAX_SERVERS) backends.push(cell.backend);
        else failed.push({ ...claimOf(each), ...tooManyServers });
      } catch (error) {
        failed.push({ ...claimOf(each), ...internalError(error) });
      }
    }
    return { model: { backends }, failed };
  };
}

/** The backend that was built for an admitted route, and the inputs it depends on besides the route and its endpoints. */
interface Cell {
  readonly each: AdmittedRoute;
  readonly namespaceState: NamespaceState;
  /** The last pass that included this route. A route that was absent may have missed endpoint changes. */
  pass: number;
  shared: ReadonlySet<string>;
  isShared: boolean;
  backend: RouteBackend | undefined;
}

/** A namespace during one pass: its servers so far, and the services whose endpoints changed (`none` if it has no such service). */
interface NamespaceState {
  servers: number;
  changed: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

function stateOf(key: string, namespaces: Map<string, NamespaceState>): NamespaceState {
  const namespace = key.slice(0, key.indexOf(':'));
  const state = namespaces.get(namespace) ?? { servers: 0, changed: none };
  namespaces.set(namespace, state);
  return state;
}

function sharesCertificate({ tls }: AdmittedRoute, shared: ReadonlySet<string>): boolean {
  return tls.certificate !== undefined && shared.has(tls.certificate.fingerprint);
}

function usesAnyService({ route }: AdmittedRoute, changed: ReadonlySet<string>): boolean {
  return route.services.some(({ name }) => changed.has(keyOf({ namespace: route.namespace, name })));
}

/** The limit for all routes of a namespace together. Each server takes memory in HAProxy and the router, and one Service can be behind many routes. */
const MAX_SERVERS = 50_000;

const tooManyServers: Refusal = {
  reason: 'Unprintable',
  message: `the routes of its namespace have more than ${MAX_SERVERS} servers in total, counting each pod once per route`,
};

/**
 * The fingerprints of certificates that several routes use. Browsers reuse one HTTP/2 connection for all hosts of a certificate, which would send
 * requests to the wrong route.
 */
function sharedCertificates(admitted: readonly AdmittedRoute[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { tls } of admitted) {
    const fingerprint = tls.certificate?.fingerprint;
    if (fingerprint === undefined) continue;
    if (seen.has(fingerprint)) shared.add(fingerprint);
    seen.add(fingerprint);
  }
  return shared;
}

function backendOf(
  admitted: AdmittedRoute,
  find: FindEndpoints,
  isShared: boolean,
  defaults: BackendDefaults,
): RouteBackend {
  const { route, key, kind, host, wildcard, path, pathMatch, insecure, tls } = admitted;
  const annotations = readAnnotations(route.annotations);
  const weights = serviceWeights(route.services);
  const { servers, remarks } = serversOf(admitted, weights, find, annotations, defaults);
  const [request, response] = (['request', 'response'] as const).map((of) =>
    headerActions(route.headers[of], of),
  );
  const hasTls = kind === 'edge' || kind === 'reencrypt';
  const isTcp = kind === 'passthrough';
  const cookie = isTcp ? undefined : cookieOf(admitted, annotations, defaults);
  const hasSeveralServices = [...weights.values()].filter((weight) => weight > 0).length > 1;
  const defaultBalance = isTcp ? defaults.tcpBalance : defaults.httpBalance;
  return {
    key,
    name: `${backendPrefix[kind]}:${key}`,
    kind,
    host,
    wildcard,
    path,
    pathMatch,
    insecure,
    ...(tls.certificate && {
      certificate: {
        pem: tls.certificate.pem,
        http2: defaults.http2 && !isShared,
      },
    }),
    balance: annotations.balance ?? (hasSeveralServices ? 'roundrobin' : defaultBalance),
    servers: exactList(servers),
    ...(cookie && { cookie }),
    timeouts: timeoutsOf(annotations, isTcp),
    ...(annotations.allowlist && { allowlist: annotations.allowlist }),
    ...(annotations.rateLimit && { rateLimit: annotations.rateLimit }),
    forwarded: annotations.forwarded ?? defaults.forwarded,
    ...(annotations.hsts !== undefined && hasTls && { hsts: annotations.hsts }),
    ...(annotations.rewriteTarget !== undefined && !isTcp && { rewriteTarget: annotations.rewriteTarget }),
    headers: headersOf(request?.actions ?? [], response?.actions ?? []),
    adjustCase: annotations.adjustCase,
    ...(kind === 'reencrypt' && { verify: verificationOf(tls.destinationCaPem, defaults) }),
    remarks: exactList([
      ...firstRemarks([
        ...annotations.remarks,
        ...(annotations.hsts !== undefined && !hasTls
          ? ['hsts_header: ignored, the router does not terminate its TLS']
          : []),
        ...(request?.remarks ?? []),
        ...(response?.remarks ?? []),
      ]),
      ...remarks,
    ]),
  };
}

/** The limit for remarks on what a Route's author wrote, which may be thousands of annotations. Every decision reads the remarks of all routes. */
const MAX_REMARKS = 20;

function firstRemarks(remarks: readonly string[]): readonly string[] {
  const more = remarks.length - MAX_REMARKS;
  return more > 0 ? [...remarks.slice(0, MAX_REMARKS), `and ${more} more`] : remarks;
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

/** The cookie's name and value are the same on every replica, and disclose neither names nor addresses. */
function cookieOf(
  { key, kind, insecure }: AdmittedRoute,
  { disableCookies, cookieName, sameSite }: RouteAnnotations,
  defaults: BackendDefaults,
): SessionCookie | undefined {
  if (disableCookies) return undefined;
  // openshift-router hashes `TERMINATION KEY` before the termination is set. With the same name, clients keep their sessions in a migration.
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
