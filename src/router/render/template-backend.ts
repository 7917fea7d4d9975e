import { createHash } from 'node:crypto';
import { SET_FOLDER } from '../../engine/config/set.ts';
import { CHECKS_OFF } from '../../haproxy/runtime/describe-configuration.ts';
import type { BackendServer, HeaderAction, RouteBackend } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { allowlistFileName, caFileName, DESTINATION_CA_FILE } from './file-names.ts';
import { quoted, quotedHeader, quotedLiteral, regexLiteral } from './quoted.ts';

/** A route as passed to the template. Quoted values are printed raw with `<%-`, all others with `<%=`. */
export interface TemplateBackend {
  readonly name: string;
  /** The `defaults` section that it is based on: a kind of route and a policy for forwarded headers. */
  readonly from: string;
  readonly balance: string;
  /** Whole directives that only few routes need, in HAProxy's order. */
  readonly directives: readonly string[];
  readonly servers: readonly TemplateServer[];
}

interface TemplateServer {
  readonly name: string;
  readonly endpoint: string;
  readonly id: number;
  /** The options after the id, for a template without `servers.state`: a backend's only server has no check. */
  readonly options: string;
  /** The options for a template that makes HAProxy load `servers.state`: a backend's only server starts with its check off. */
  readonly switchableOptions: string;
}

interface BackendOptions {
  readonly http2: boolean;
  /** Whether a CA for `default-ca` exists. */
  readonly hasDefaultDestinationCa: boolean;
}

export function backendOptions({ disableHttp2, defaultDestinationCa }: OptionSettings): BackendOptions {
  return { http2: !disableHttp2, hasDefaultDestinationCa: defaultDestinationCa !== undefined };
}

type OptionSettings = Pick<RouterSettings, 'disableHttp2' | 'defaultDestinationCa'>;

/** HAProxy allows 64 words in a line, three of which are not addresses. */
export const INLINE_ADDRESSES = 61;

/** Whether an allowlist is written to a file. So is an empty list, which rejects every client. */
export function needsFile(allowlist: RouteBackend['allowlist']): boolean {
  return allowlist !== undefined && (allowlist.length > INLINE_ADDRESSES || allowlist.length === 0);
}

export function templateBackend(route: RouteBackend, options: BackendOptions): TemplateBackend {
  const ids = serverIds(route.servers);
  const common = serverOptions(route, options);
  return {
    name: route.name,
    from: route.kind === 'passthrough' ? 'tcp' : `http-${route.forwarded}`,
    balance: route.balance,
    directives: directivesOf(route),
    servers: route.servers.map((server, index) => ({
      name: server.name,
      endpoint: `${server.address.includes(':') ? `[${server.address}]` : server.address}:${server.port}`,
      id: ids[index] ?? index + 1,
      ...optionsOf(route, server, options, common),
    })),
  };
}

function directivesOf(route: RouteBackend): readonly string[] {
  const { timeouts, adjustCase } = route;
  const isHttp = route.kind !== 'passthrough';
  return [
    ...(isHttp ? cookieOf(route) : []),
    ...(timeouts.serverMs === undefined ? [] : [`timeout server ${timeouts.serverMs}ms`]),
    ...(timeouts.tunnelMs === undefined ? [] : [`timeout tunnel ${timeouts.tunnelMs}ms`]),
    ...(isHttp && adjustCase ? ['option h1-case-adjust-bogus-server'] : []),
    ...allowlistOf(route),
    ...rateLimitOf(route),
    ...(isHttp ? requestRules(route) : []),
  ];
}

function cookieOf({ key, cookie }: RouteBackend): readonly string[] {
  if (cookie === undefined) return [];
  const attributes = [
    ...(cookie.secure ? ['secure'] : []),
    ...(cookie.sameSite === undefined ? [] : [`attr SameSite=${cookie.sameSite}`]),
  ];
  // HAProxy before 3.0 refuses a cookie value for a server that is added at runtime.
  const dynamic = /^[\w.:-]+$/.test(key) ? [`dynamic-cookie-key ${key}`] : [];
  const words = ['cookie', quoted(cookie.name), 'insert indirect nocache httponly', ...attributes];
  return [...dynamic, [...words, ...(dynamic.length > 0 ? ['dynamic'] : [])].join(' ')];
}

function allowlistOf({ key, allowlist }: RouteBackend): readonly string[] {
  if (allowlist === undefined) return [];
  const source = needsFile(allowlist) ? `-f ${SET_FOLDER}/${allowlistFileName(key)}` : allowlist.join(' ');
  return [`acl allowlist src ${source}`, 'tcp-request content reject if !allowlist'];
}

/**
 * HAProxy counts the current connection or request before it evaluates a rule, so `gt` still allows the limit itself. Unless a route is passed
 * through, HAProxy counts each request as a connection.
 */
function rateLimitOf({ kind, rateLimit }: RouteBackend): readonly string[] {
  if (rateLimit === undefined) return [];
  const { concurrentTcp, tcpPer3s, httpPer10s } = rateLimit;
  const limit = (rule: string, counter: string, value: number | undefined): readonly string[] =>
    value === undefined ? [] : [`${rule} reject if { ${counter} gt ${value} }`];
  return [
    'stick-table type ipv6 size 100k expire 30s store conn_cur,conn_rate(3s),http_req_rate(10s)',
    'tcp-request content track-sc2 src',
    ...limit('tcp-request content', 'sc2_conn_cur', concurrentTcp),
    ...limit('tcp-request content', 'sc2_conn_rate', tcpPer3s),
    ...(kind === 'passthrough' ? [] : limit('http-request', 'sc2_http_req_rate', httpPer10s)),
  ];
}

function requestRules(route: RouteBackend): readonly string[] {
  const { hsts, kind, headers } = route;
  const endsTls = kind === 'edge' || kind === 'reencrypt';
  return [
    ...rewriteOf(route),
    ...headers.request.map((action) => headerRule('http-request', action)),
    ...headers.response.map((action) => headerRule('http-response', action)),
    ...(endsTls && hsts !== undefined && hsts !== ''
      ? [`http-response set-header Strict-Transport-Security ${quotedLiteral(hsts)}`]
      : []),
  ];
}

/** Replaces the route's path by the target. With the target `/`, the slash after the path is replaced too. `%` and `%%` both mean one `%`. */
function rewriteOf({ path, rewriteTarget }: RouteBackend): readonly string[] {
  if (rewriteTarget === undefined) return [];
  const rest = rewriteTarget === '/' ? '/?(.*)$' : '(.*)$';
  const target = rewriteTarget.replaceAll('\\', '\\\\').replaceAll(/%%?/g, '%%');
  return [`http-request replace-path ${quoted(`^${regexLiteral(path)}${rest}`)} ${quoted(`${target}\\1`)}`];
}

export function headerRule(rule: 'http-request' | 'http-response', action: HeaderAction): string {
  return action.kind === 'set'
    ? `${rule} set-header ${quoted(action.name)} ${quotedHeader(action.value, rule === 'http-request' ? 'req' : 'res')}`
    : `${rule} del-header ${quoted(action.name)}`;
}

function optionsOf(
  route: RouteBackend,
  server: BackendServer,
  options: BackendOptions,
  common: readonly string[],
): Pick<TemplateServer, 'options' | 'switchableOptions'> {
  const textOf = (each: BackendServer): string => [...ownOptions(route, each, options), ...common].join(' ');
  const own = textOf(server);
  if (server.isAlone !== true) return { options: own, switchableOptions: own };
  const { checkIntervalMs: _, ...unchecked } = server;
  return { options: textOf(unchecked), switchableOptions: `${own}${CHECKS_OFF}` };
}

function ownOptions(route: RouteBackend, server: BackendServer, options: BackendOptions): readonly string[] {
  const { name, weight, checkIntervalMs, maxConnections, h2c } = server;
  const hasCookie = route.kind !== 'passthrough' && route.cookie !== undefined;
  return [
    ...(hasCookie ? [`cookie ${quoted(cookieValue(name))}`] : []),
    `weight ${weight}`,
    ...(checkIntervalMs === undefined ? [] : [`check inter ${checkIntervalMs}ms`]),
    ...(maxConnections === undefined ? [] : [`maxconn ${maxConnections}`]),
    ...(isVerifiedByName(route, options) && server.verifyHost !== undefined
      ? [`verifyhost ${quoted(server.verifyHost)}`]
      : []),
    ...(h2c && (route.kind === 'http' || route.kind === 'edge') ? ['proto h2'] : []),
  ];
}

/** Identifies the server without disclosing its address. Not cached, since that would take memory for tens of thousands of servers. */
function cookieValue(server: string): string {
  return createHash('md5').update(server).digest('hex');
}

function isVerifiedByName({ kind, verify }: RouteBackend, options: BackendOptions): boolean {
  return kind === 'reencrypt' && verify?.kind === 'default-ca' && options.hasDefaultDestinationCa;
}

function serverOptions(route: RouteBackend, options: BackendOptions): readonly string[] {
  if (route.kind !== 'reencrypt') return [];
  return ['ssl', ...(options.http2 ? ['alpn h2,http/1.1'] : []), ...verifyOptions(route, options)];
}

function verifyOptions({ key, verify }: RouteBackend, options: BackendOptions): readonly string[] {
  switch (verify?.kind) {
    case 'route-ca':
      return [`verify required ca-file ${SET_FOLDER}/${caFileName(key)}`];
    case 'default-ca':
      return options.hasDefaultDestinationCa
        ? [`verify required ca-file ${SET_FOLDER}/${DESTINATION_CA_FILE}`]
        : ['verify none'];
    case 'none':
    case undefined:
      return ['verify none'];
  }
}

/**
 * Server ids are derived from names, so that a server keeps its id when others are added or removed. HAProxy's consistent hash depends on the id,
 * and a server that is added at runtime without an id may get the place of another one (haproxy#3413).
 */
export function serverIds(servers: readonly Pick<BackendServer, 'name'>[]): readonly number[] {
  const used = new Set<number>();
  return servers.map(({ name }) => {
    let id = hash31(name) || 1;
    for (let attempt = 1; used.has(id); attempt += 1) id = digest31(`${attempt} ${name}`) || 1;
    used.add(id);
    return id;
  });
}

/** For names with equal hashes, which a tenant can produce by the thousand. */
function digest31(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() & 0x7fff_ffff;
}

/** FNV-1a with a final mix, since pod names differ in only a few letters. It costs a tenth of a digest. */
function hash31(text: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  return (hash ^ (hash >>> 13)) & 0x7fff_ffff;
}
