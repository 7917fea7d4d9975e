import type { SetFile } from '../../engine/config/set.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import { canMatch, pathOf, type Question, valueIn } from '../decide/value-in.ts';
import { hostText, type PathMatch, type RouteBackend } from '../model.ts';

/** The questions that are asked by host and path, each of a file for `map_str` and one for `map_beg`: the first that knows a request answers. */
export const pathQuestions = ['http', 'secure', 'redirect'] as const satisfies readonly Question[];

/**
 * Maps that HAProxy asks at a cost that does not depend on how many routes there are. A key is HOST/PATH, the host of a
 * wildcard is `*.PARENT`: the frontends ask for a request's host first and for the wildcard above it second. `tls` has the name in
 * the TLS hello as its key, and the backend of a passthrough route; all other TLS ends here.
 *
 * The prefix tree gives the longest key, and each key in it ends with `/`: `/sub` becomes `HOST/sub`, exact, and
 * `HOST/sub/` for what is below it, so that `/subpar` is not its. `/sub/` is only what is below, and wins there over `/sub`. A path that is
 * for itself alone is in the first file only, where it wins.
 */
export function hashMapFiles(all: readonly (MapRow | undefined)[]): readonly SetFile[] {
  const rows = all.filter((row) => row !== undefined);
  const exact = rows
    .filter(({ isFolder }) => !isFolder)
    .sort(
      (a, b) =>
        compareText(a.key, b.key) || compareText(b.pathMatch, a.pathMatch) || compareText(a.route, b.route),
    );
  const prefix = rows
    .filter(({ pathMatch }) => pathMatch === 'prefix')
    .sort(
      (a, b) =>
        compareText(a.prefix, b.prefix) ||
        Number(a.isFolder) - Number(b.isFolder) ||
        compareText(a.route, b.route),
    );
  return [
    ...pathQuestions.flatMap((question) => [
      file(`${question}.exact`, exact, 'key', question),
      file(`${question}.prefix`, prefix, 'prefix', question),
    ]),
    file('tls', exact, 'host', 'passthrough'),
  ];
}

/** A route's rows in the maps. */
export interface MapRow {
  /** Its key. */
  readonly route: string;
  readonly host: string;
  readonly key: string;
  readonly prefix: string;
  readonly pathMatch: PathMatch;
  /** It is for what is below its path alone, and wins there. */
  readonly isFolder: boolean;
  readonly values: Readonly<Record<'http' | 'secure' | 'redirect' | 'passthrough', string | undefined>>;
}

/** Undefined for a route that no request can match. */
export function mapRow(route: RouteBackend): MapRow | undefined {
  if (!canMatch(route)) return undefined;
  const { kind, insecure, name, pathMatch } = route;
  const path = pathOf(route);
  const host = hostText(route);
  const key = `${host}${path}`;
  const isFolder = pathMatch === 'prefix' && path.endsWith('/');
  const said = (question: Question) => valueIn(question, { kind, insecure, name, path });
  return {
    route: route.key,
    host,
    key,
    prefix: isFolder ? key : `${key}/`,
    pathMatch,
    isFolder,
    values: {
      http: said('http'),
      secure: said('secure'),
      redirect: said('redirect'),
      passthrough: said('passthrough') === undefined ? undefined : name,
    },
  };
}

/** The last row of equal keys wins. A key with a blank would end there for HAProxy, and `#` begins a comment: admission and `canMatch` let none through. */
function file(
  name: string,
  rows: readonly MapRow[],
  by: 'key' | 'prefix' | 'host',
  value: keyof MapRow['values'],
): SetFile {
  const lines: string[] = [];
  let last: string | undefined;
  for (const row of rows) {
    const said = row.values[value];
    if (said === undefined) continue;
    if (last === row[by]) lines.pop();
    last = row[by];
    lines.push(`${last} ${said}\n`);
  }
  return { name: `maps/${name}.map`, content: lines.join('') };
}
