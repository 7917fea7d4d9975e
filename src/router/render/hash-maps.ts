import type { SetFile } from '../../engine/apply/file-set.ts';
import { keepOrder } from '../../engine/system/keep-order.ts';
import { mapChanged } from '../../engine/system/map-changed.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { canMatch, pathOf, type Question, valueIn } from '../decide/value-in.ts';
import { hostText, type PathMatch, type RouteBackend } from '../model.ts';
import { mapLine } from './map-lines.ts';

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
 *
 * From one time to the next few routes change: lines are kept in their order, and a file that stays the same is the same object.
 */
export function createHashMapFiles(): (routes: readonly RouteBackend[]) => readonly SetFile[] {
  const byKey = keepOrder<Row>(
    (a, b) => compare(a.key, b.key) || compare(b.pathMatch, a.pathMatch) || compare(a.route, b.route),
  );
  const byPrefix = keepOrder<Row>(
    (a, b) =>
      compare(a.prefix, b.prefix) || Number(a.isFolder) - Number(b.isFolder) || compare(a.route, b.route),
  );
  let files: readonly SetFile[] = [];
  let before: readonly (Row | undefined)[] = [];
  const rowsOf = mapChanged(rowOf);
  return (routes) => {
    const all = rowsOf(routes);
    const known = before;
    before = all;
    const isAsBefore = all.length === known.length && all.every((row, at) => isSame(known[at], row));
    if (isAsBefore && files.length > 0) return files;
    const rows = all.filter((row) => row !== undefined);
    const exact = byKey(rows.filter(({ isFolder }) => !isFolder));
    const prefix = byPrefix(rows.filter(({ pathMatch }) => pathMatch === 'prefix'));
    const made = [
      ...pathQuestions.flatMap((question) => [
        file(`${question}.exact`, exact, 'key', question),
        file(`${question}.prefix`, prefix, 'prefix', question),
      ]),
      file('tls', exact, 'host', 'passthrough'),
    ];
    files = made.map((each, index) => {
      const before = files[index];
      return before?.content === each.content ? before : each;
    });
    return files;
  };
}

/** What the maps say of a route. */
interface Row {
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

const rowOf = oncePer((route: RouteBackend): Row | undefined => {
  if (!canMatch(route)) return undefined;
  const { kind, insecure, name, pathMatch } = route;
  const [path, host] = [pathOf(route), hostText(route)];
  const [key, isFolder] = [`${host}${path}`, pathMatch === 'prefix' && path.endsWith('/')];
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
});

function isSame(one: Row | undefined, other: Row | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  if (one.route !== other.route || one.key !== other.key || one.host !== other.host) return false;
  if (one.isFolder !== other.isFolder || one.pathMatch !== other.pathMatch) return false;
  const { values } = one;
  return [...pathQuestions, 'passthrough' as const].every((name) => values[name] === other.values[name]);
}

/** Of rows with one key the last one counts. */
function file(
  name: string,
  rows: readonly Row[],
  by: 'key' | 'prefix' | 'host',
  value: keyof Row['values'],
): SetFile {
  const lines: string[] = [];
  let last: string | undefined;
  for (const row of rows) {
    const said = row.values[value];
    if (said === undefined) continue;
    if (last === row[by]) lines.pop();
    last = row[by];
    lines.push(mapLine(last, said));
  }
  return { name: `maps/${name}.map`, content: lines.join('') };
}

/** By code units: the same in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
