import {
  type HashMap,
  type HashMaps,
  type pathQuestions,
  TERMINATE,
} from '../../../src/router/lookup/hash-maps.ts';
import { regexLines } from '../../../src/router/lookup/regex-maps.ts';
import { pathOf, type Question, valueIn } from '../../../src/router/lookup/value-in.ts';
import type { RouteBackend } from '../../../src/router/model.ts';
import type { LookedUp } from './route-sets.ts';

/** What the frontends get for a request, by whatever way of asking. */
export type Answers = Readonly<Record<(typeof pathQuestions)[number], string | undefined>>;

function answersBy(one: (question: (typeof pathQuestions)[number]) => string | undefined): Answers {
  return { http: one('http'), secure: one('secure'), redirect: one('redirect') };
}

/** As the frontends of the template ask the hash maps. */
export function askHash(maps: HashMaps, request: LookedUp): Answers {
  const host = request.host.toLowerCase().replace(/\.?(:[0-9]+)?$/, '');
  const ask = (map: HashMap, key: string) => map.exact.get(key) ?? longestPrefix(map.prefix, key);
  return answersBy(
    (question) =>
      ask(maps[question], host + request.path) ??
      ask(maps[question], host.replace(/^[^.]*/, '*') + request.path),
  );
}

export function askHashTls({ tls }: HashMaps, name: string): string | undefined {
  const found = tls.get(name.toLowerCase()) ?? tls.get(name.toLowerCase().replace(/^[^.]*/, '*'));
  return found === TERMINATE ? undefined : found;
}

/** As `map_beg` does. */
function longestPrefix(map: ReadonlyMap<string, string>, key: string): string | undefined {
  const found = [...map.keys()].filter((each) => key.startsWith(each));
  return map.get(found.sort((a, b) => b.length - a.length)[0] ?? '');
}

/** As `map_reg` does: the first line that matches. */
export function askRegex(routes: readonly RouteBackend[], request: LookedUp): Answers {
  const base = request.host.toLowerCase() + request.path;
  return answersBy((question) => firstMatch(regexLines(routes, question), base));
}

export function askRegexTls(routes: readonly RouteBackend[], name: string): string | undefined {
  const found = firstMatch(regexLines(routes, 'passthrough'), name.toLowerCase());
  return found === undefined ? undefined : firstMatch(regexLines(routes, 'tcp'), name.toLowerCase());
}

function firstMatch(lines: readonly (readonly [string, string])[], text: string): string | undefined {
  return lines.find(([pattern]) => new RegExp(pattern).test(text))?.[1];
}

/**
 * The rules in words: a host of one's own before a wildcard, then the longer path; a route that says nothing is passed over.
 */
export function askPlainly(routes: readonly RouteBackend[], request: LookedUp): Answers {
  const host = request.host
    .toLowerCase()
    .replace(/:[0-9]+$/, '')
    .replace(/\.$/, '');
  const matching = routes.filter((route) => hasHost(route, host) && hasPath(route, request.path));
  const ranked = matching.sort(
    (a, b) => Number(a.wildcard) - Number(b.wildcard) || pathOf(b).length - pathOf(a).length,
  );
  const first = (question: Question) =>
    ranked.map((route) => valueIn(question, route)).find((value) => value !== undefined);
  return answersBy(first);
}

export function askPlainlyTls(routes: readonly RouteBackend[], name: string): string | undefined {
  const matching = routes.filter((route) => route.kind !== 'http' && hasHost(route, name.toLowerCase()));
  const own = matching.filter((route) => !route.wildcard);
  return (own.length > 0 ? own : matching).find((route) => route.kind === 'passthrough')?.name;
}

function hasHost({ host, wildcard }: RouteBackend, asked: string): boolean {
  return wildcard ? asked.includes('.') && asked.slice(asked.indexOf('.') + 1) === host : asked === host;
}

function hasPath(route: RouteBackend, asked: string): boolean {
  const path = pathOf(route);
  return path.endsWith('/') ? asked.startsWith(path) : asked === path || asked.startsWith(`${path}/`);
}
