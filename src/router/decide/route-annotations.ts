import ipaddr from 'ipaddr.js';
import type { Annotations } from '../metadata.ts';
import type { Balance, RateLimit, RouteBackend, SessionCookie } from '../model.ts';
import { isCookieName, isPath } from '../safe-text.ts';

/** The settings in a route's annotations. As with openshift-router, an invalid value is treated as unset. */
export interface RouteAnnotations {
  readonly balance?: Balance;
  readonly disableCookies: boolean;
  readonly cookieName?: string;
  readonly sameSite: NonNullable<SessionCookie['sameSite']>;
  readonly hsts?: string;
  readonly allowlist?: readonly string[];
  readonly maxConnections?: number;
  readonly rateLimit?: RateLimit;
  readonly rewriteTarget?: string;
  readonly forwarded?: RouteBackend['forwarded'];
  readonly timeoutMs?: number;
  readonly tunnelMs?: number;
  readonly checkIntervalMs?: number;
  readonly adjustCase: boolean;
  /** What was ignored, and why. */
  readonly remarks: readonly string[];
}

const haproxy = 'haproxy.router.openshift.io/';
const router = 'router.openshift.io/';
const rate = `${haproxy}rate-limit-connections`;

/** Every check costs HAProxy, the pods and the node's network. */
const SHORTEST_CHECK_INTERVAL_MS = 1_000;

/** What may stand in one, in the order in which openshift-router documents them. */
const balances = ['roundrobin', 'leastconn', 'source', 'random'] as const;
const sameSites = ['Lax', 'Strict', 'None'] as const;
const forwardings = ['append', 'replace', 'if-none', 'never'] as const;

const directive = '(?:includeSubDomains|preload)';
const hstsForm = new RegExp(
  `^(?:${directive} *; *)*max-age *= *(?:\\d{1,20}|"\\d{1,20}")(?: *; *${directive})*$`,
  'i',
);

export function readAnnotations(annotations: Annotations): RouteAnnotations {
  const remarks: string[] = [];
  const known = new Set<string>();
  /** What `parse` makes of it; undefined, with a remark, where that is undefined. */
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    known.add(name);
    const text = annotations[name];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) remarks.push(`${name}: ignored, expected ${expected}`);
    return value;
  };
  const word = <Word extends string>(name: string, words: readonly Word[]): Word | undefined =>
    read(name, (text) => words.find((each) => each === text), words.join(', '));
  const flag = (name: string): boolean => read(name, parseBoolean, 'true or false') ?? false;
  const interval = (name: string): number | undefined => {
    const asked = time(name);
    if (asked === undefined || asked >= SHORTEST_CHECK_INTERVAL_MS) return asked;
    remarks.push(`${name}: 1s instead of ${annotations[name]}, the shortest interval`);
    return SHORTEST_CHECK_INTERVAL_MS;
  };
  const time = (name: string) => read(name, parseHaproxyDuration, 'a time such as 30s or 500ms');
  const count = (name: string) => read(name, parseCount, 'a whole number');
  const match = (name: string, isRight: (text: string) => boolean, expected: string) =>
    read(name, (text) => (isRight(text) ? text : undefined), expected);

  const isLimited = flag(rate);
  const limit = present({
    concurrentTcp: count(`${rate}.concurrent-tcp`),
    tcpPer3s: count(`${rate}.rate-tcp`),
    httpPer10s: count(`${rate}.rate-http`),
  });
  const allowlistName =
    annotations[`${haproxy}ip_allowlist`] === undefined ? `${haproxy}ip_whitelist` : `${haproxy}ip_allowlist`;
  known.add(`${haproxy}ip_whitelist`).add(`${haproxy}ip_allowlist`);
  const allowlist = readAllowlist(allowlistName, annotations[allowlistName], remarks);
  const values = present({
    balance: word(`${haproxy}balance`, balances),
    cookieName: match(`${router}cookie_name`, isCookieName, 'a name of A-Z a-z 0-9 _ -'),
    hsts: match(
      `${haproxy}hsts_header`,
      (text) => hstsForm.test(text),
      'max-age=SECONDS;includeSubDomains;preload',
    ),
    allowlist,
    maxConnections: count(`${haproxy}pod-concurrent-connections`),
    rateLimit: isLimited ? limit : undefined,
    rewriteTarget: match(
      `${haproxy}rewrite-target`,
      isPath,
      'a path without quotes, backslashes, spaces, ; and #',
    ),
    forwarded: word(`${haproxy}set-forwarded-headers`, forwardings),
    timeoutMs: time(`${haproxy}timeout`),
    tunnelMs: time(`${haproxy}timeout-tunnel`),
    checkIntervalMs: interval(`${router}haproxy.health.check.interval`),
  });
  const sameSite = word(`${router}cookie-same-site`, sameSites) ?? 'None';
  const switches = {
    disableCookies: flag(`${haproxy}disable_cookies`),
    adjustCase: flag(`${haproxy}h1-adjust-case`),
  };
  if (!isLimited && Object.keys(limit).length > 0) remarks.push(`${rate}: not true, so that no limit counts`);
  const others = Object.keys(annotations).filter(
    (name) => (name.startsWith(haproxy) || name.startsWith(router)) && !known.has(name),
  );
  remarks.push(...others.map((name) => `${name}: has no effect`));
  return { ...values, ...switches, sameSite, remarks: remarks.sort() };
}

type Present<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

/** Without what is undefined. */
function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** As Go reads it. */
function parseBoolean(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

function parseCount(text: string): number | undefined {
  const value = /^\+?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 2_147_483_647 ? value : undefined;
}

function readAllowlist(
  name: string,
  text: string | undefined,
  remarks: string[],
): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const { entries, refused } = parseAllowlist(text);
  if (refused.length > 0) remarks.push(`${name}: ${refused.length} ignored, expected addresses and networks`);
  if (entries.length === 0) remarks.push(`${name}: ignored as a whole, so that everybody may connect`);
  return entries.length === 0 ? undefined : entries;
}

interface Allowlist {
  /** Empty: every client may connect. */
  readonly entries: readonly string[];
  readonly refused: readonly string[];
}

/**
 * Addresses and networks, separated by white space. As in openshift-router, bad entries are dropped, and white space at an
 * end makes the whole list void: then everybody may connect.
 */
function parseAllowlist(text: string): Allowlist {
  if (text !== text.trim()) return { entries: [], refused: [text.trim()] };
  const words = text.split(/\s+/).filter((word) => word !== '');
  return { entries: words.filter(isNetwork), refused: words.filter((word) => !isNetwork(word)) };
}

function isNetwork(text: string): boolean {
  if (text.length > 49 || !/^[0-9a-fA-F.:/]+$/.test(text)) return false;
  const [address = '', prefix, ...more] = text.split('/');
  if (more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return Number(prefix ?? 32) <= 32;
  return ipaddr.IPv6.isValid(address) && Number(prefix ?? 128) <= 128;
}

/** HAProxy's longest time: 2147483647 ms. */
const longestMs = 2_147_483_647;

const unitMs: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `30s`, `500` (ms), `1d`; a longer one than HAProxy knows is its longest, anything else is undefined. */
function parseHaproxyDuration(text: string): number | undefined {
  const [, digits, unit = 'ms'] = /^([1-9][0-9]*)(us|ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Math.min(longestMs, Math.ceil(Number(digits) * (unitMs[unit] ?? 1)));
}
