import { createHash } from 'node:crypto';
import { exactList } from '../../engine/system/exact-list.ts';
import { groupChanged } from '../../engine/system/group-changed.ts';
import { changedSpan } from '../../engine/system/same-list.ts';
import type { RouterObjects } from '../follow/router-objects.ts';
import {
  type BackendTimeouts,
  backendPrefix,
  type HeaderAction,
  type PodVerification,
  type RouteBackend,
  type RouterModel,
  type SessionCookie,
} from '../model.ts';
import type { BackendDefaults } from '../settings/backend-defaults.ts';
import { serversOf } from './backend-servers.ts';
import { headerActions } from './header-actions.ts';
import { type RouteAnnotations, readAnnotations } from './route-annotations.ts';
import { createServiceEndpoints, type FindEndpoints } from './service-endpoints.ts';
import { type AdmittedRoute, claimOf, internalError, type Refusal, type RejectedRoute } from './verdict.ts';
import { serviceWeights } from './weights.ts';

interface Joined {
  readonly model: RouterModel;
  readonly failed: readonly RejectedRoute[];
}

/** `admitted` is in the order of the keys. */
type BuildModel = (
  admitted: readonly AdmittedRoute[],
  objects: Pick<RouterObjects, 'endpoints' | 'services'>,
) => Joined;

/**
 * Joins the admitted routes with their endpoints. Equal objects give an equal model, whatever order they come in. A route that
 * cannot be joined is not in it, and is among `failed`. A backend of which all that it was made of is as before is the same object:
 * it is made of the admitted route, of the endpoints of its services, and of whether its certificate is shared, and of nothing else.
 */
export function createModelBuilder(defaults: BackendDefaults): BuildModel {
  const endpointsOf = createServiceEndpoints(defaults.denied);
  const shared = createSharedCertificates();
  let last: Pass = { admitted: [], made: [] };
  return (admitted, { endpoints, services }) => {
    const { find, changed } = endpointsOf(endpoints, services);
    const made = takenOver(last, admitted);
    for (const at of usersOf(changed, admitted, made)) made[at] = undefined;
    for (const { key } of shared.take(admitted)) made[firstFrom(key, admitted)] = undefined;
    const failed: RejectedRoute[] = [];
    const takeServers = createServerRoom();
    for (const [at, each] of admitted.entries()) {
      try {
        const backend = takeServers(each.key, () => made[at] ?? backendOf(each, find, shared.has, defaults));
        made[at] = backend;
        if (backend === undefined) failed.push({ ...claimOf(each), ...tooManyServers });
      } catch (error) {
        failed.push({ ...claimOf(each), ...internalError(error) });
      }
    }
    last = { admitted, made };
    return { model: { backends: made.filter((each) => each !== undefined) }, failed };
  };
}

/** Of all routes of a namespace together: each server takes memory of HAProxy and of the router, and a route for each path may have thousands. */
const MOST_SERVERS = 50_000;

const tooManyServers: Refusal = {
  reason: 'Unprintable',
  message: `the routes of its namespace have more than ${MOST_SERVERS} servers together, each pod once in each route`,
};

/**
 * Makes backends, in the order of their keys, until those of a namespace have as many servers as they may. From then on none of that namespace is
 * made: undefined.
 */
function createServerRoom(): (key: string, make: () => RouteBackend) => RouteBackend | undefined {
  let [prefix, used] = ['', 0];
  return (key, make) => {
    if (prefix === '' || !key.startsWith(prefix)) [prefix, used] = [key.slice(0, key.indexOf(':') + 1), 0];
    if (used > MOST_SERVERS) return undefined;
    const backend = make();
    used += backend.servers.length;
    return used > MOST_SERVERS ? undefined : backend;
  };
}

/** What was made of each admitted route, undefined if that failed. */
interface Pass {
  readonly admitted: readonly AdmittedRoute[];
  readonly made: readonly (RouteBackend | undefined)[];
}

/** What was made of these routes in a pass, by their places; undefined of new ones. */
function takenOver(
  { admitted: before, made }: Pass,
  admitted: readonly AdmittedRoute[],
): (RouteBackend | undefined)[] {
  const { start, end } = changedSpan(before, admitted);
  const between = new Map<AdmittedRoute, RouteBackend | undefined>();
  for (let at = start; at < before.length - end; at += 1) {
    const each = before[at];
    if (each !== undefined) between.set(each, made[at]);
  }
  const news = admitted.slice(start, admitted.length - end).map((each) => between.get(each));
  return [...made.slice(0, start), ...news, ...made.slice(before.length - end)];
}

/**
 * The places of the made routes that use one of these services; the others are made anyway, and one that cannot be read fails there. Those of a namespace stand side by side, so that they are found without a map that would
 * have to be kept for all routes.
 */
function* usersOf(
  changed: ReadonlySet<string>,
  admitted: readonly AdmittedRoute[],
  made: Pass['made'],
): Generator<number> {
  for (const [namespace, keys] of Map.groupBy(changed, (key) => key.slice(0, key.indexOf(':') + 1))) {
    const names = new Set(keys.map((key) => key.slice(namespace.length)));
    const isUser = ({ route }: AdmittedRoute): boolean => route.services.some(({ name }) => names.has(name));
    for (let at = firstFrom(namespace, admitted); at < admitted.length; at += 1) {
      const each = admitted[at];
      if (each === undefined || !each.key.startsWith(namespace)) break;
      if (made[at] !== undefined && isUser(each)) yield at;
    }
  }
}

/** The first place of which the key is not before `text`. */
function firstFrom(text: string, admitted: readonly AdmittedRoute[]): number {
  let [low, high] = [0, admitted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((admitted[middle]?.key ?? text) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which certificates several routes have: browsers join connections to hosts with one certificate, and would then ask the wrong route. */
function createSharedCertificates() {
  const routes = groupChanged<AdmittedRoute>(({ tls }) => tls.certificate?.fingerprint ?? '');
  const shared = new Set<string>();
  return {
    has: (fingerprint: string): boolean => shared.has(fingerprint),
    /** Takes the next routes. Tells those whose certificate is shared from now on, or no more. */
    take: (admitted: readonly AdmittedRoute[]): readonly AdmittedRoute[] => {
      const changed = routes.take(admitted.filter(({ tls }) => tls.certificate !== undefined));
      return [...changed].flatMap((fingerprint) => {
        const having = routes.of(fingerprint);
        if (shared.has(fingerprint) === having.length > 1) return [];
        if (having.length > 1) shared.add(fingerprint);
        else shared.delete(fingerprint);
        return having;
      });
    },
  };
}

function backendOf(
  admitted: AdmittedRoute,
  find: FindEndpoints,
  isShared: (fingerprint: string) => boolean,
  defaults: BackendDefaults,
): RouteBackend {
  const { route, key, kind, host, wildcard, path, pathMatch, insecure, tls } = admitted;
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
    pathMatch,
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
