import { pathOf } from '../decide/map-value.ts';
import type { RouteBackend, RouterModel } from '../model.ts';

export interface RouterRequest {
  readonly scheme: 'http' | 'https';
  /** As sent by the client: in any case, optionally with a trailing dot and a port. For https it is also the SNI. */
  readonly host: string;
  /** With or without a query. */
  readonly path: string;
}

export type RouterAnswer =
  /** The backend's pods serve the request, or for `passthrough` the connection. */
  | { readonly kind: 'backend'; readonly backend: RouteBackend }
  /** 302 to the same host and path with https. */
  | { readonly kind: 'redirect'; readonly backend: RouteBackend }
  /** 503 */
  | { readonly kind: 'none' };

/**
 * The reference implementation of routing: HAProxy's maps are tested against it, and `hawser router explain` uses it. An exact host wins over a
 * wildcard, a longer path over a shorter one, and an exact path over a prefix. The most specific route decides whether clients without TLS are
 * redirected. Otherwise the most specific route that accepts them serves them, so a route without an insecure policy leaves them to a shorter path
 * or to the wildcard.
 */
export function answerOf(model: RouterModel, { scheme, host, path }: RouterRequest): RouterAnswer {
  const found = matchingBackends(model.backends, host, path);
  if (scheme === 'http') {
    if (found[0]?.insecure === 'Redirect') return { kind: 'redirect', backend: found[0] };
    return answer(found.find(acceptsPlainHttp));
  }
  return answer(passthroughOf(model.backends, host) ?? found.find(terminatesTls));
}

function answer(backend: RouteBackend | undefined): RouterAnswer {
  return backend === undefined ? { kind: 'none' } : { kind: 'backend', backend };
}

/** Whether the route serves requests without TLS. */
function acceptsPlainHttp({ kind, insecure }: Pick<RouteBackend, 'kind' | 'insecure'>): boolean {
  return kind === 'http' || (kind !== 'passthrough' && insecure === 'Allow');
}

function terminatesTls({ kind }: RouteBackend): boolean {
  return kind === 'edge' || kind === 'reencrypt';
}

/**
 * A passthrough connection is routed by its SNI alone, before any request can be read. Admission keeps hosts that terminate TLS out of the domain
 * of a passthrough wildcard, and the wildcard out of theirs.
 */
function passthroughOf(backends: readonly RouteBackend[], host: string): RouteBackend | undefined {
  return matchingBackends(backends, host, '').find(({ kind }) => kind === 'passthrough');
}

/** The backends whose host and path match, most specific first. */
export function matchingBackends<B extends Matchable>(
  backends: readonly B[],
  host: string,
  path: string,
): readonly B[] {
  const name = hostName(host);
  if (!isRequestHost(host)) return [];
  const [plainPath = ''] = path.split('?');
  return backends
    .filter((backend) => matchesHost(backend, name) && matchesPath(backend, plainPath))
    .sort(
      (a, b) =>
        Number(a.wildcard) - Number(b.wildcard) ||
        pathOf(b).length - pathOf(a).length ||
        Number(b.pathMatch === 'exact') - Number(a.pathMatch === 'exact'),
    );
}

type Matchable = Pick<RouteBackend, 'host' | 'wildcard' | 'path' | 'pathMatch'>;

/** Whether a Host header is a name or an address, with an optional port. Requests with any other Host are refused before routing. */
export function isRequestHost(host: string): boolean {
  return /^(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]*\])(?::[0-9]*)?$/.test(host);
}

/** Lower case, without the port and a trailing dot. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** A wildcard matches exactly one label, which may be empty. */
function matchesHost({ host, wildcard }: Pick<Matchable, 'host' | 'wildcard'>, name: string): boolean {
  return wildcard ? name.includes('.') && name.slice(name.indexOf('.') + 1) === host : name === host;
}

/** `/sub` matches `/sub` and everything below it, `/sub/` only what is below, and '' everything. */
function matchesPath(route: Matchable, requestPath: string): boolean {
  const path = pathOf(route);
  if (route.pathMatch === 'exact') return requestPath === path;
  if (path === '') return true;
  if (path.endsWith('/')) return requestPath.startsWith(path);
  return requestPath === path || requestPath.startsWith(`${path}/`);
}

/**
 * The route whose certificate a client gets for this host; undefined if it gets the default certificate. HAProxy uses the first line of the
 * crt-list that matches. The list is in descending order, so of several routes with the same host, the last file name wins.
 */
export function certificateOwner(model: RouterModel, host: string): RouteBackend | undefined {
  const name = hostName(host);
  return model.backends
    .filter((backend) => backend.certificate !== undefined && matchesHost(backend, name))
    .sort((a, b) => Number(a.wildcard) - Number(b.wildcard) || (lineOrder(a) < lineOrder(b) ? 1 : -1))[0];
}

/** Sorts like the names of the certificates' files, which start the lines. */
const lineOrder = ({ key }: RouteBackend): string => `${key}.pem`;
