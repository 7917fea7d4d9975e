import type { RouteBackend } from '../model.ts';

/**
 * What the frontends ask maps for:
 * - `http`: the backend of a request without TLS,
 * - `secure`: the backend of a request whose TLS ends at the router,
 * - `redirect`: 1 where a client without TLS is sent to https,
 * - `tcp`, `passthrough`: the backend of a TLS connection, and whether it is handed on as it is.
 */
export type Question = 'http' | 'secure' | 'redirect' | 'tcp' | 'passthrough';

type Asked = Pick<RouteBackend, 'kind' | 'insecure' | 'name'> & { readonly path: string };

/**
 * What a route says there. Undefined: it says nothing, and a less specific route answers. Every route says something of
 * `redirect`: a specific 0 must hold against a general 1.
 */
export function valueIn(question: Question, { kind, insecure, name, path }: Asked): string | undefined {
  const endsTls = kind === 'edge' || kind === 'reencrypt';
  switch (question) {
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

/** A path of nothing but slashes is every path, but for a route that wants it alone. */
export function pathOf({ path, pathMatch }: Pick<RouteBackend, 'path' | 'pathMatch'>): string {
  return pathMatch === 'prefix' && /^\/*$/.test(path) ? '' : path;
}

/** A request's path has no blank and no control character: such a route matches nothing, and would break a map's line. */
export function canMatch({ host, path }: Pick<RouteBackend, 'host' | 'path'>): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for.
  return host !== '' && !/[\u0000-\u0020\u007f]/.test(host + path);
}
