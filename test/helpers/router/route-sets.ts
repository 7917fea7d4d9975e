import fc from 'fast-check';
import {
  backendPrefix,
  type InsecurePolicy,
  type RouteBackend,
  type RouteKind,
} from '../../../src/router/model.ts';

/** A backend with defaults for everything that is not given. */
export function routeBackend(
  given: Partial<RouteBackend> & Pick<RouteBackend, 'host'> & { readonly key?: string },
): RouteBackend {
  const kind = given.kind ?? 'http';
  const key = given.key ?? 'ns:route';
  return {
    key,
    name: `${backendPrefix[kind]}:${key}`,
    kind,
    wildcard: false,
    path: '',
    pathMatch: 'prefix',
    insecure: 'None',
    balance: 'random',
    servers: [],
    timeouts: {},
    forwarded: 'append',
    headers: { request: [], response: [] },
    adjustCase: false,
    remarks: [],
    ...given,
  };
}

export interface LookedUp {
  readonly host: string;
  readonly path: string;
}

/** Hosts: domains of wildcards, parents of others, and names one label below a wildcard. */
const hosts = ['a.com', 'b.a.com', 'c.b.a.com', 'w.org', 'x.w.org', 'a-b.w.org', 'y.x.w.org'] as const;
const segments = ['sub', 'subpar', 's', 'deep', '*', 'x.y', '~u', 'S'] as const;
const kinds = ['http', 'edge', 'reencrypt', 'passthrough'] as const satisfies readonly RouteKind[];
const policies = ['None', 'Allow', 'Redirect'] as const satisfies readonly InsecurePolicy[];

const path = fc
  .tuple(fc.array(fc.constantFrom(...segments), { maxLength: 3 }), fc.boolean())
  .map(([parts, slash]) => (parts.length === 0 ? '' : `/${parts.join('/')}${slash ? '/' : ''}`));

const route = fc.record({
  kind: fc.constantFrom(...kinds),
  host: fc.constantFrom(...hosts),
  wildcard: fc.boolean(),
  path,
  match: fc.constantFrom('prefix', 'exact', 'both'),
  insecure: fc.constantFrom(...policies),
});

/**
 * Routes as admission leaves them: no two with the same host and path, passthrough only for a whole host, and no host
 * that terminates TLS in the domain of a passthrough wildcard.
 */
export const routeSets = fc.array(route, { maxLength: 14 }).map((drawn): readonly RouteBackend[] => {
  const found = drawn.flatMap(({ match, ...each }) =>
    (['prefix', 'exact'] as const)
      .filter((pathMatch) => match === 'both' || match === pathMatch)
      .map((pathMatch) => asAsked({ ...each, pathMatch })),
  );
  const taken = new Set<string>();
  return found.flatMap((each, index) => {
    const isTcp = each.kind === 'passthrough';
    const place = `${each.wildcard}${each.host}${each.path}${each.pathMatch}`;
    const isMixed = isTcp && found.some((other) => other !== each && other.host === each.host);
    const isInDomain = ({ kind, host, wildcard }: typeof each) =>
      (kind === 'edge' || kind === 'reencrypt') && !wildcard && host.endsWith(`.${each.host}`);
    if (taken.has(place) || isMixed || (isTcp && each.wildcard && found.some(isInDomain))) return [];
    taken.add(place);
    const insecure = each.kind === 'http' || (isTcp && each.insecure === 'Allow') ? 'None' : each.insecure;
    return [routeBackend({ ...each, insecure, key: `ns:r${index}` })];
  });
});

/** A passthrough route has no path, and an exact path is at least a slash. */
function asAsked<R extends Pick<RouteBackend, 'kind' | 'path' | 'pathMatch'>>(drawn: R): R {
  if (drawn.kind === 'passthrough') return { ...drawn, path: '', pathMatch: 'prefix' };
  return drawn.pathMatch === 'exact' && drawn.path === '' ? { ...drawn, path: '/' } : drawn;
}

const hostSpelling = fc
  .tuple(
    fc.constantFrom(...hosts, 'q.w.org', '*.w.org', '.w.org', 'other.net'),
    fc.constantFrom('', '.', ':80', '.:80', ':', ':x', '..', ':80:80'),
    fc.boolean(),
  )
  .map(([host, tail, upper]) => `${upper ? host.toUpperCase() : host}${tail}`);

export const requests: fc.Arbitrary<LookedUp> = fc.record({
  host: hostSpelling,
  path: fc
    .tuple(path, fc.constantFrom('', '/', '//', '/x', 'x', '.', '/%20'))
    .map(([start, end]) => (start === '' ? `/${end.replace(/^\//, '')}` : `${start}${end}`)),
});
