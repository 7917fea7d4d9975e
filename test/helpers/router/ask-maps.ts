import type { RouteBackend } from '../../../src/router/model.ts';
import { hashMapFiles, mapRow, pathMaps } from '../../../src/router/render/hash-maps.ts';
import {
  answerOf,
  hostName,
  isRequestHost,
  type RouterRequest,
} from '../../../src/router/render/reference-matcher.ts';
import { regexLines } from '../../../src/router/render/regex-maps.ts';
import type { LookedUp } from './route-sets.ts';

/** A table for `map_str` and one for `map_beg`. */
export interface HashMap {
  readonly exact: ReadonlyMap<string, string>;
  readonly prefix: ReadonlyMap<string, string>;
}

export interface HashMaps extends Readonly<Record<(typeof pathMaps)[number], HashMap>> {
  readonly tls: ReadonlyMap<string, string>;
}

/** What HAProxy loads from the files. */
export function hashMaps(routes: readonly RouteBackend[]): HashMaps {
  const files = new Map(hashMapFiles(routes.map(mapRow)).map(({ name, content }) => [name, `${content}`]));
  const map = (name: string): ReadonlyMap<string, string> => {
    const lines = (files.get(`maps/${name}.map`) ?? '').split('\n').filter((line) => line !== '');
    const pairs = lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
    const found = new Map(pairs.map(([key = '', value = '']) => [key, value]));
    if (found.size < lines.length) throw new Error(`"${name}" has a key twice`);
    return found;
  };
  const [http, secure, redirect] = pathMaps.map((question) => ({
    exact: map(`${question}.exact`),
    prefix: map(`${question}.prefix`),
  }));
  if (http === undefined || secure === undefined || redirect === undefined) throw new Error('no maps');
  return { http, secure, redirect, tls: map('tls') };
}

type Ask = (question: (typeof pathMaps)[number]) => string | undefined;

/** What the frontends do with the answers of the maps. */
function answerBy(
  scheme: RouterRequest['scheme'],
  ask: Ask,
  passedTo: string | undefined,
): string | undefined {
  if (scheme === 'https') return passedTo ?? ask('secure');
  return ask('redirect') === '1' ? 'redirect' : ask('http');
}

/** Queries the hash maps as the template's frontends do. */
export function askHash(
  maps: HashMaps,
  scheme: RouterRequest['scheme'],
  request: LookedUp,
): string | undefined {
  if (!isRequestHost(request.host)) return undefined;
  const host = request.host.toLowerCase().replace(/\.?(:[0-9]*)?$/, '');
  const parent = host.replace(/^[^.]*/, '*');
  const ask = (map: HashMap, key: string) => map.exact.get(key) ?? longestPrefix(map.prefix, key);
  return answerBy(
    scheme,
    (question) => ask(maps[question], host + request.path) ?? ask(maps[question], parent + request.path),
    maps.tls.get(host) ?? maps.tls.get(parent),
  );
}

/** Like `map_beg`. */
function longestPrefix(map: ReadonlyMap<string, string>, key: string): string | undefined {
  const found = [...map.keys()].filter((each) => key.startsWith(each));
  return map.get(found.sort((a, b) => b.length - a.length)[0] ?? '');
}

/** Like `map_reg`: the first line that matches. */
export function askRegex(
  routes: readonly RouteBackend[],
  scheme: RouterRequest['scheme'],
  request: LookedUp,
): string | undefined {
  if (!isRequestHost(request.host)) return undefined;
  const base = request.host.toLowerCase().replace(/:$/, '') + request.path;
  // The SNI of a client has neither a port nor a trailing dot.
  const sni = hostName(request.host);
  const isPassed = firstMatch(regexLines(routes, 'passthrough'), sni) !== undefined;
  return answerBy(
    scheme,
    (question) => firstMatch(regexLines(routes, question), base),
    isPassed ? firstMatch(regexLines(routes, 'tcp'), sni) : undefined,
  );
}

function firstMatch(lines: readonly (readonly [string, string])[], text: string): string | undefined {
  return lines.find(([pattern]) => new RegExp(pattern).test(text))?.[1];
}

/** The backend that the reference matcher names, `redirect`, or undefined if nothing answers. */
export function expectedAnswer(
  backends: readonly RouteBackend[],
  scheme: RouterRequest['scheme'],
  request: LookedUp,
): string | undefined {
  const answer = answerOf({ backends }, { scheme, ...request });
  if (answer.kind === 'none') return undefined;
  return answer.kind === 'redirect' ? 'redirect' : answer.backend.name;
}
