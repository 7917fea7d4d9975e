import type { SetFile } from '../../engine/config/set.ts';
import { type MapKind, mapValue, pathOf } from '../decide/map-value.ts';
import type { RouteBackend } from '../model.ts';
import { regexLiteral } from './quoted.ts';

const fileNames = {
  http: 'os_http_be.map',
  secure: 'os_edge_reencrypt_be.map',
  redirect: 'os_route_http_redirect.map',
  tcp: 'os_tcp_be.map',
  passthrough: 'os_sni_passthrough.map',
} as const satisfies Readonly<Record<MapKind, string>>;

const maps = ['http', 'secure', 'redirect', 'tcp', 'passthrough'] as const satisfies readonly MapKind[];

/**
 * The map files of the OpenShift router, byte for byte, for `map_reg`, which tries one line after another. Only for migrations, since the cost of
 * a request grows with the number of routes. docs/internals/decisions/0071 lists where their order gives other results than `hash`.
 */
export function regexMapFiles(
  routes: readonly RouteBackend[],
  options: { readonly allowWildcards: boolean },
): readonly SetFile[] {
  const files = maps.map((map) => ({
    name: `maps/${fileNames[map]}`,
    content: mapText(regexLines(routes, map)),
  }));
  const wildcards = routes.filter((route) => route.wildcard && options.allowWildcards);
  const domains = wildcards.map((route) => [`${placePattern(route, '')}(/.*)?$`, '1'] as const);
  return [...files, { name: 'maps/os_wildcard_domain.map', content: mapText(descending(domains)) }];
}

/** The first matching line wins, so hosts come before wildcards, and exact paths before prefixes. The OpenShift router has no exact paths. */
export function regexLines(routes: readonly RouteBackend[], map: MapKind): readonly Line[] {
  return [false, true].flatMap((wildcard) =>
    (['exact', 'prefix'] as const).flatMap((pathMatch) => {
      const found = routes.filter((route) => route.wildcard === wildcard && route.pathMatch === pathMatch);
      return descending(found.flatMap((route) => lineOf(route, map)));
    }),
  );
}

type Line = readonly [key: string, value: string];

function lineOf(route: RouteBackend, map: MapKind): readonly Line[] {
  // Unlike in the hash maps, a path of only slashes counts as a path, so such a route has no line in maps for routes without one.
  const value = mapValue(map, route);
  if (value === undefined) return [];
  return [[map === 'passthrough' ? `^${hostPattern(route)}$` : routePattern(route), value]];
}

function routePattern(route: RouteBackend): string {
  const path = pathOf(route);
  const place = placePattern(route, path);
  if (route.pathMatch === 'exact') return `${place}$`;
  return path.endsWith('/') ? `${place}(.*)?$` : `${place}(/.*)?$`;
}

function placePattern(route: RouteBackend, path: string): string {
  return `^${hostPattern(route)}\\.?(:[0-9]+)?${escapeBlanks(regexLiteral(path))}`;
}

function hostPattern({ host, wildcard }: RouteBackend): string {
  return wildcard ? `[^\\.]*${regexLiteral(`.${host}`)}` : regexLiteral(host);
}

function mapText(lines: readonly Line[]): string {
  return lines.map((line) => `${line.join(' ')}\n`).join('');
}

function escapeBlanks(text: string): string {
  return text
    .replaceAll(' ', '\\x20')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
}

/** In descending byte order of the whole lines. */
function descending(lines: readonly Line[]): readonly Line[] {
  return lines
    .map((line) => ({ line, text: Buffer.from(line.join(' ')) }))
    .sort((a, b) => Buffer.compare(b.text, a.text))
    .map(({ line }) => line);
}
