import assert from 'node:assert/strict';
import { othersOf, type Rendered } from '../../../src/engine/config/set.ts';
import { type HeaderAction, hostText, type RouteBackend } from '../../../src/router/model.ts';
import type { RouterSettings } from '../../../src/router/settings/router-settings.ts';
import { renderRouter } from './render-router.ts';
import { routerTemplate } from './router-settings.ts';

export interface Printed extends Rendered {
  /** The routes that were left out. */
  readonly left: readonly string[];
}

export function print(
  settings: RouterSettings,
  backends: readonly RouteBackend[],
  defaultCertificate: string,
): Printed {
  const outcome = renderRouter(routerTemplate, settings, { backends }, defaultCertificate);
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return { ...outcome.rendered, left: outcome.leftOut.map(({ key, problem }) => `${key}: ${problem}`) };
}

/**
 * Throws unless the files say the same about these routes as about harmless ones: the same directives with as many
 * words, only expressions that a route may use, and in maps and lists nothing but these routes' hosts and names.
 */
export function mustBePlain(
  printed: Printed,
  backends: readonly RouteBackend[],
  settings: RouterSettings,
  defaultCertificate: string,
): void {
  const harmless = print(settings, backends.map(harmlessTwin), defaultCertificate);
  assert.deepEqual(shapesOf(printed.text), shapesOf(harmless.text));
  assert.deepEqual(namesOf(printed).length, namesOf(harmless).length);
  const names = new Set(backends.map(({ name }) => name));
  const hosts = new Set(backends.map(hostText));
  // Pages for clients contain nothing of a route.
  const pagesOf = (rendered: Rendered) => othersOf(rendered).filter(({ name }) => name.startsWith('errors/'));
  assert.deepEqual(pagesOf(printed), pagesOf(harmless));
  for (const { name, content } of othersOf(printed).filter(({ name: each }) => !each.startsWith('errors/'))) {
    const isPlain = lineRule(name, { names, hosts, files: new Set(namesOf(printed)) });
    assert.deepEqual({ name, odd: linesOf(content).filter((line) => !isPlain(line)) }, { name, odd: [] });
  }
}

const namesOf = (rendered: Rendered) => othersOf(rendered).map(({ name }) => name);
const linesOf = (content: string | Buffer): readonly string[] => {
  const lines = content.toString().split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

interface Known {
  readonly names: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

/** The state of a server that HAProxy starts as up, without checks: a tenant only names the backend and the server. */
const serverState = /^0 (\S+) \d+ \S+ - 2 0 \d+ \d+ 0 1 0 4 2 0 0 1 - \d+ - ([01]) 0 - - 0$/;

/** What a line of this file must look like. */
function lineRule(file: string, { names, hosts, files }: Known): (line: string) => boolean {
  if (file.startsWith('allowlists/')) return (line) => /^[0-9a-fA-F.:/]+$/.test(line);
  if (file === 'cert_config.map')
    return (line) => {
      const [name = '', host = '', ...more] = line.replace(' [alpn h2,http/1.1]', '').split(' ');
      return files.has(name) && hosts.has(host) && more.length === 0;
    };
  if (file === 'default_cert_config.map') return (line) => line === 'certs/_default.pem *';
  if (file === 'servers.state')
    return (line) => {
      const [, backend = '', tls] = serverState.exec(line) ?? [];
      const isServer = names.has(backend) && tls === (backend.startsWith('be_secure:') ? '1' : '0');
      return line === '1' || /^# be_id be_name [a-z_ ]+$/.test(line) || isServer;
    };
  if (!file.startsWith('maps/'))
    return (line) => /^(?:-----(?:BEGIN|END) (?:CERTIFICATE|PRIVATE KEY)-----|[A-Za-z0-9+/=]+)$/.test(line);
  const isKey = (key: string) => key.startsWith('^') || [...hosts].some((host) => key.startsWith(host));
  return (line) => {
    const [key = '', value = '', ...more] = line.split(' ');
    return isKey(key) && more.length === 0 && (/^[01]$/.test(value) || names.has(value));
  };
}

/** For each line: its first word, how many words HAProxy reads, and the expressions in the last word that no tenant may write. */
export function shapesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => {
    const words = wordsIn(line);
    const isRule = /^http-re(?:quest|sponse) (?:set-header|replace-path) /.test(line.trim());
    const expressions = isRule ? words.at(-1)?.replaceAll(allowedExpression, '').match(/%.?/g) : null;
    return [words[0] ?? '', words.length, ...(expressions ?? [])].join(' ');
  });
}

const allowedExpression =
  /%%|%(?:\{[-+]?[QXE](?:,[-+]?[QXE])*\})?\[(?:(?:req|res)\.hdr\([-0-9A-Za-z]+\)|ssl_c_der|str\(\))(?:,(?:lower|base64))*\]/g;

/** Splits a line as HAProxy does; an unterminated quote is a word of its own. */
function wordsIn(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === '' && character === '#') break;
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= '';
    if (character === quote) quote = '';
    else if (quote === '' && /['"]/.test(character)) quote = character;
    else if (character === '\\' && quote !== "'") at += 1;
    else word += character;
  }
  if (word !== undefined) words.push(word);
  return quote === '' ? words : [...words, 'unfinished'];
}

/** The same route with unmistakably harmless texts. */
export function harmlessTwin(route: RouteBackend, index: number): RouteBackend {
  const { cookie, hsts, rewriteTarget, allowlist, headers, servers } = route;
  const plain = (action: HeaderAction): HeaderAction =>
    action.kind === 'set' ? { ...action, name: 'X-A', value: 'x' } : { ...action, name: 'X-A' };
  return {
    ...route,
    key: `ns:r${index}`,
    name: `${route.name.split(':')[0]}:ns:r${index}`,
    host: `host${index}.test`,
    path: route.path === '' ? '' : '/x',
    ...(cookie && { cookie: { ...cookie, name: 'c' } }),
    ...(hsts !== undefined && { hsts: hsts === '' ? '' : 'x' }),
    ...(rewriteTarget !== undefined && { rewriteTarget: '/x' }),
    ...(allowlist && { allowlist: allowlist.map(() => '10.0.0.1') }),
    headers: { request: headers.request.map(plain), response: headers.response.map(plain) },
    servers: servers.map((server, number) => ({
      ...server,
      name: `pod:${number}`,
      address: '10.0.0.1',
      ...(server.verifyHost !== undefined && { verifyHost: 'web.shop.svc' }),
    })),
  };
}
