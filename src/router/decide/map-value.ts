import type { RouteBackend } from '../model.ts';

/**
 * The lookups of the frontends, each answered by a map:
 * - `http`: the backend of a request without TLS,
 * - `secure`: the backend of a request whose TLS ends at the router,
 * - `redirect`: 1 if a client without TLS is redirected to https,
 * - `tcp`, `passthrough`: the backend of a TLS connection, and 1 if the connection is passed through.
 */
export type MapKind = 'http' | 'secure' | 'redirect' | 'tcp' | 'passthrough';

type MappedRoute = Pick<RouteBackend, 'kind' | 'insecure' | 'name'> & { readonly path: string };

/**
 * A route's value in a map. Undefined if the route has no entry, so that a less specific route answers. Every route has an entry in
 * `redirect`: a specific 0 must override a general 1.
 */
export function mapValue(map: MapKind, { kind, insecure, name, path }: MappedRoute): string | undefined {
  const endsTls = kind === 'edge' || kind === 'reencrypt';
  switch (map) {
    case 'http':
      return kind === 'http' || (endsTls && insecure === 'Allow') ? name : undefined;
    case 'secure':
      return endsTls ? name : undefined;
    case 'redirect':
      return kind !== 'http' && insecure === 'Redirect' ? '1' : '0';
    case 'tcp':
      return (kind === 'reencrypt' || kind === 'passthrough') && path === '' ? name : undefined;
    case 'passthrough':
      return kind === 'passthrough' && path === '' ? '1' : undefined;
  }
}

/** A path of only slashes matches every path, unless the match is exact. */
export function pathOf({ path, pathMatch }: Pick<RouteBackend, 'path' | 'pathMatch'>): string {
  return pathMatch === 'prefix' && /^\/*$/.test(path) ? '' : path;
}

/** Whether any request can match. A path with a space or a control character never matches, and would break the map's line. */
export function canMatch({ host, path }: Pick<RouteBackend, 'host' | 'path'>): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it searches for.
  return host !== '' && !/[\u0000-\u0020\u007f]/.test(host + path);
}
