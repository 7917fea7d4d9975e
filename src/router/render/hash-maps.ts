import type { SetFile } from '../../engine/config/set.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import { canMatch, type MapKind, mapValue, pathOf } from '../decide/map-value.ts';
import { hostText, type PathMatch, type RouteBackend } from '../model.ts';

/** The maps that are looked up by host and path. Each has a file for `map_str` and one for `map_beg`; the first match wins. */
export const pathMaps = ['http', 'secure', 'redirect'] as const satisfies readonly MapKind[];

/**
 * Maps whose lookup cost does not depend on the number of routes. A key is HOST/PATH, where the host of a wildcard is `*.PARENT`. The frontends
 * look up the request's host first and then the wildcard above it. The `tls` map is keyed by the server name of the TLS hello and contains the
 * backends of passthrough routes; all other TLS terminates at the router.
 *
 * `map_beg` uses a prefix tree, which returns the longest matching key, and each key in it ends with `/`: `/sub` becomes the exact key `HOST/sub`
 * and the prefix `HOST/sub/`, so that it does not match `/subpar`. A route with `/sub/` matches only what is below, and wins there over `/sub`. A
 * path that must match exactly is only in the first file, where it wins.
 */
export function hashMapFiles(all: readonly (MapRow | undefined)[]): readonly SetFile[] {
  const rows = all.filter((row) => row !== undefined);
  const exact = rows
    .filter(({ isSubtree }) => !isSubtree)
    .sort(
      (a, b) =>
        compareText(a.key, b.key) || compareText(b.pathMatch, a.pathMatch) || compareText(a.route, b.route),
    );
  const prefix = rows
    .filter(({ pathMatch }) => pathMatch === 'prefix')
    .sort(
      (a, b) =>
        compareText(a.prefix, b.prefix) ||
        Number(a.isSubtree) - Number(b.isSubtree) ||
        compareText(a.route, b.route),
    );
  return [
    ...pathMaps.flatMap((map) => [
      file(`${map}.exact`, exact, 'key', map),
      file(`${map}.prefix`, prefix, 'prefix', map),
    ]),
    file('tls', exact, 'host', 'passthrough'),
  ];
}

/** A route's entries in the maps. */
export interface MapRow {
  /** The route's key. */
  readonly route: string;
  readonly host: string;
  readonly key: string;
  readonly prefix: string;
  readonly pathMatch: PathMatch;
  /** The path ends with `/`: it matches only what is below, and wins there. */
  readonly isSubtree: boolean;
  readonly values: Readonly<Record<'http' | 'secure' | 'redirect' | 'passthrough', string | undefined>>;
}

/** Undefined if no request can match the route. */
export function mapRow(route: RouteBackend): MapRow | undefined {
  if (!canMatch(route)) return undefined;
  const { kind, insecure, name, pathMatch } = route;
  const path = pathOf(route);
  const host = hostText(route);
  const key = `${host}${path}`;
  const isSubtree = pathMatch === 'prefix' && path.endsWith('/');
  const value = (map: MapKind) => mapValue(map, { kind, insecure, name, path });
  return {
    route: route.key,
    host,
    key,
    prefix: isSubtree ? key : `${key}/`,
    pathMatch,
    isSubtree,
    values: {
      http: value('http'),
      secure: value('secure'),
      redirect: value('redirect'),
      passthrough: value('passthrough') === undefined ? undefined : name,
    },
  };
}

/** The last of several rows with equal keys wins. Admission and `canMatch` exclude keys with spaces, where HAProxy would end the key, and with `#`. */
function file(
  name: string,
  rows: readonly MapRow[],
  by: 'key' | 'prefix' | 'host',
  column: keyof MapRow['values'],
): SetFile {
  const lines: string[] = [];
  let last: string | undefined;
  for (const row of rows) {
    const value = row.values[column];
    if (value === undefined) continue;
    if (last === row[by]) lines.pop();
    last = row[by];
    lines.push(`${last} ${value}\n`);
  }
  return { name: `maps/${name}.map`, content: lines.join('') };
}
