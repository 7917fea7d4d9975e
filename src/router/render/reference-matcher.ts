import { pathOf } from '../decide/value-in.ts';
import type { RouteBackend, RouterModel } from '../model.ts';

export interface RouterRequest {
  readonly scheme: 'http' | 'https';
  /** As a client sends it: in any case, perhaps with a dot at its end and a port. With https it is the SNI too. */
  readonly host: string;
  /** With or without a query. */
  readonly path: string;
}

export type RouterAnswer =
  /** Requests go to its pods; of `passthrough` the connection does. */
  | { readonly kind: 'backend'; readonly backend: RouteBackend }
  /** 302 to the same place with https. */
  | { readonly kind: 'redirect'; readonly backend: RouteBackend }
  /** 503 */
  | { readonly kind: 'none' };

/**
 * What the router must answer, in the plainest way: HAProxy's maps are compared with it, and `hawser router explain` asks it.
 * An exact host comes before a wildcard, a longer path before a shorter one, and an exact path before what is below it. The first route of all decides whether
 * clients without TLS are redirected; else the first one that takes them answers, so that a route without an insecure
 * policy leaves them to a shorter path, or to the wildcard.
 */
export function answerOf(model: RouterModel, { scheme, host, path }: RouterRequest): RouterAnswer {
  const found = matchingBackends(model.backends, host, path);
  if (scheme === 'http') {
    if (found[0]?.insecure === 'Redirect') return { kind: 'redirect', backend: found[0] };
    return answer(found.find(takesPlainRequests));
  }
  return answer(passthroughOf(model.backends, host) ?? found.find(takesTls));
}

function answer(backend: RouteBackend | undefined): RouterAnswer {
  return backend === undefined ? { kind: 'none' } : { kind: 'backend', backend };
}

/** Whether it serves requests that come without TLS. */
function takesPlainRequests({ kind, insecure }: Pick<RouteBackend, 'kind' | 'insecure'>): boolean {
  return kind === 'http' || (kind !== 'passthrough' && insecure === 'Allow');
}

function takesTls({ kind }: RouteBackend): boolean {
  return kind === 'edge' || kind === 'reencrypt';
}

/**
 * A connection is passed on before any request of it can be read: by its SNI alone. Admission keeps hosts that end TLS out of
 * the domain of a passthrough wildcard, and the wildcard out of theirs.
 */
function passthroughOf(backends: readonly RouteBackend[], host: string): RouteBackend | undefined {
  return matchingBackends(backends, host, '').find(({ kind }) => kind === 'passthrough');
}

/** Those whose host and path match, the one that comes first in front. */
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

/** A name or an address, perhaps with a port: requests with another Host are refused before anything is looked up. */
export function isRequestHost(host: string): boolean {
  return /^(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]*\])(?::[0-9]*)?$/.test(host);
}

/** Lower case, without port, and without the dot that a full name may end with. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** A wildcard stands for exactly one label, which may be empty. */
function matchesHost({ host, wildcard }: Pick<Matchable, 'host' | 'wildcard'>, name: string): boolean {
  return wildcard ? name.includes('.') && name.slice(name.indexOf('.') + 1) === host : name === host;
}

/** `/sub` is for `/sub` and what is below it, `/sub/` only for what is below, '' for everything. */
function matchesPath(route: Matchable, asked: string): boolean {
  const path = pathOf(route);
  if (route.pathMatch === 'exact') return asked === path;
  if (path === '') return true;
  if (path.endsWith('/')) return asked.startsWith(path);
  return asked === path || asked.startsWith(`${path}/`);
}

/**
 * The route whose certificate a client gets that asks for this host; undefined: the router's default one. Of several with
 * the same host the last name of a certificate's file counts: HAProxy takes the first line of the crt-list, which is in descending order.
 */
export function certificateOwner(model: RouterModel, host: string): RouteBackend | undefined {
  const name = hostName(host);
  return model.backends
    .filter((backend) => backend.certificate !== undefined && matchesHost(backend, name))
    .sort((a, b) => Number(a.wildcard) - Number(b.wildcard) || (orderOfLine(a) < orderOfLine(b) ? 1 : -1))[0];
}

/** As the names of the certificates' files compare, of which each line has one. */
const orderOfLine = ({ key }: RouteBackend): string => `${key}.pem`;
