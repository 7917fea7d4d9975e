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
  const sharedIn = whileSame(sharedCertificates);
  const rooms = new Map<string, Room>();
  const cellsOf = eachOncePer(
    (each: AdmittedRoute): Cell => ({
      each,
      room: roomOf(each.key, rooms),
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
    for (const room of rooms.values()) Object.assign(room, { servers: 0, changed: none });
    for (const key of changed) roomOf(key, rooms).changed = changed;
    for (const cell of cellsOf(admitted)) {
      const { each, room } = cell;
      try {
        const isShared = cell.shared === shared ? cell.isShared : hasShared(each, shared);
        const isAsBefore = cell.pass === pass - 1 && isShared === cell.isShared;
        if (!isAsBefore || (room.changed !== none && usesAny(each, changed))) cell.backend = undefined;
        cell.pass = pass;
        cell.shared = shared;
        cell.isShared = isShared;
        if (room.servers <= MOST_SERVERS) cell.backend ??= backendOf(each, find, isShared, defaults);
        room.servers += cell.backend?.servers.length ?? 0;
        if (cell.backend !== undefined && room.servers <= MOST_SERVERS) backends.push(cell.backend);
        else failed.push({ ...claimOf(each), ...tooManyServers });
      } catch (error) {
        failed.push({ ...claimOf(each), ...internalError(error) });
      }
    }
    return { model: { backends }, failed };
  };
}

/** What was made of an admitted route, and its inputs besides the route and its endpoints. */
interface Cell {
  readonly each: AdmittedRoute;
  readonly room: Room;
  /** A route that was away may have missed changes of its endpoints. */
  pass: number;
  shared: ReadonlySet<string>;
  isShared: boolean;
  backend: RouteBackend | undefined;
}

/** A namespace in one pass: the servers of its routes so far, and the services of which the endpoints have changed, `none` if not its own. */
interface Room {
  servers: number;
  changed: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

function roomOf(key: string, rooms: Map<string, Room>): Room {
  const namespace = key.slice(0, key.indexOf(':'));
  const room = rooms.get(namespace) ?? { servers: 0, changed: none };
  rooms.set(namespace, room);
  return room;
}

function hasShared({ tls }: AdmittedRoute, shared: ReadonlySet<string>): boolean {
  return tls.certificate !== undefined && shared.has(tls.certificate.fingerprint);
}

function usesAny({ route }: AdmittedRoute, changed: ReadonlySet<string>): boolean {
  return route.services.some(({ name }) => changed.has(keyOf({ namespace: route.namespace, name })));
}

/** Of all routes of a namespace together: each server takes memory of HAProxy and of the router, and a route for each path may have thousands. */
const MOST_SERVERS = 50_000;

const tooManyServers: Refusal = {
  reason: 'Unprintable',
  message: `the routes of its namespace have more than ${MOST_SERVERS} servers together, each pod once in each route`,
};

/**
 * The fingerprints of certificates that several routes have: browsers join connections to hosts with one certificate, and would then ask the
 * wrong route.
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
        http2: defaults.http2 && !isShared,
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
