import type { SetFile } from '../../engine/apply/file-set.ts';
import { hostText, type RouteBackend } from '../model.ts';
import { mapText } from './map-lines.ts';
import { canMatch, pathOf, type Question, valueIn } from './value-in.ts';

/** A table for `map_str` and one for `map_beg`; the first that knows a request answers. */
export interface HashMap {
  readonly exact: ReadonlyMap<string, string>;
  readonly prefix: ReadonlyMap<string, string>;
}

/** The questions that are asked by host and path. */
export const pathQuestions = ['http', 'secure', 'redirect'] as const satisfies readonly Question[];

export interface HashMaps extends Readonly<Record<(typeof pathQuestions)[number], HashMap>> {
  /** By the name in the TLS hello: the backend of a passthrough route. All other TLS ends here. */
  readonly tls: ReadonlyMap<string, string>;
}

/**
 * Maps that HAProxy asks at a cost that does not depend on how many routes there are. A key is HOST/PATH, the host of a
 * wildcard is `*.PARENT`: the frontends ask for a request's host first and for the wildcard above it second.
 *
 * The prefix tree gives the longest key, and each key in it ends with `/`: `/sub` becomes `HOST/sub`, exact, and
 * `HOST/sub/` for what is below it, so that `/subpar` is not its. `/sub/` is only what is below, and wins there over `/sub`.
 */
export function hashMaps(routes: readonly RouteBackend[]): HashMaps {
  const [http, secure, redirect] = pathQuestions.map((question) => hashMap(routes, question));
  const none: HashMap = { exact: new Map(), prefix: new Map() };
  return { http: http ?? none, secure: secure ?? none, redirect: redirect ?? none, tls: tlsMap(routes) };
}

export function hashMapFiles(routes: readonly RouteBackend[]): readonly SetFile[] {
  const maps = hashMaps(routes);
  return [
    ...pathQuestions.flatMap((question) => [
      file(`${question}.exact`, maps[question].exact),
      file(`${question}.prefix`, maps[question].prefix),
    ]),
    file('tls', maps.tls),
  ];
}

function file(name: string, map: ReadonlyMap<string, string>): SetFile {
  const lines = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return { name: `maps/${name}.map`, content: mapText(lines) };
}

function hashMap(routes: readonly RouteBackend[], question: Question): HashMap {
  const exact = new Map<string, string>();
  const prefix = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const route of routes) {
    const path = pathOf(route);
    const value = valueIn(question, { ...route, path });
    if (value === undefined || !canMatch(route)) continue;
    const key = `${hostText(route)}${path}`;
    if (path.endsWith('/')) folders.set(key, value);
    else {
      exact.set(key, value);
      prefix.set(`${key}/`, value);
    }
  }
  for (const [key, value] of folders) prefix.set(key, value);
  return { exact, prefix };
}

function tlsMap(routes: readonly RouteBackend[]): ReadonlyMap<string, string> {
  const passed = routes.filter(
    (route) => canMatch(route) && valueIn('passthrough', { ...route, path: pathOf(route) }) !== undefined,
  );
  return new Map(passed.map((route) => [hostText(route), route.name]));
}
