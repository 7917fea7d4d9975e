import { isIP } from 'node:net';
import { oncePer } from '../../engine/system/once-per.ts';
import type { Annotations } from '../metadata.ts';
import type { Balance, RateLimit, RouteBackend, SessionCookie } from '../model.ts';
import { isCookieName, isPath } from '../safe-text.ts';

/** The settings in a route's annotations. As with openshift-router, an invalid value counts as unset. */
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
  /** Which annotations are ignored, and why. */
  readonly remarks: readonly string[];
}

const haproxy = 'haproxy.router.openshift.io/';
const router = 'router.openshift.io/';
const rate = `${haproxy}rate-limit-connections`;

/** Every check costs HAProxy, the pods and the network. */
const SHORTEST_CHECK_INTERVAL_MS = 1_000;

/** Valid words, in the order in which openshift-router documents them. */
const balances = ['roundrobin', 'leastconn', 'source', 'random'] as const;
const sameSites = ['Lax', 'Strict', 'None'] as const;
const forwardings = ['append', 'replace', 'if-none', 'never'] as const;

const directive = '(?:includeSubDomains|preload)';
const hstsForm = new RegExp(
  `^(?:${directive} *; *)*max-age *= *(?:\\d{1,20}|"\\d{1,20}")(?: *; *${directive})*$`,
  'i',
);

/** Reads a route's annotations, once per object: only a change of the route replaces them, but its endpoints change often. */
export const readAnnotations = oncePer((annotations: Annotations): RouteAnnotations => {
  const remarks: string[] = [];
  const readNames = new Set<string>();
  /** Parses an annotation; undefined if it is unset or invalid. An invalid one adds a remark. */
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    readNames.add(name);
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
    const interval = time(name);
    if (interval === undefined || interval >= SHORTEST_CHECK_INTERVAL_MS) return interval;
    remarks.push(`${name}: 1s is used instead of ${annotations[name]}, since it is the shortest interval`);
    return SHORTEST_CHECK_INTERVAL_MS;
  };
  const time = (name: string) => read(name, parseHaproxyDuration, 'a time such as 30s or 500ms');
  const count = (name: string) => read(name, parseCount, 'a whole number');
  const match = (name: string, isValid: (text: string) => boolean, expected: string) =>
    read(name, (text) => (isValid(text) ? text : undefined), expected);

  const isLimited = flag(rate);
  const limit = present({
    concurrentTcp: count(`${rate}.concurrent-tcp`),
    tcpPer3s: count(`${rate}.rate-tcp`),
    httpPer10s: count(`${rate}.rate-http`),
  });
  readNames.add(`${haproxy}ip_whitelist`).add(`${haproxy}ip_allowlist`);
  const allowlist = readAllowlist(annotations, remarks);
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
  if (!isLimited && Object.keys(limit).length > 0)
    remarks.push(`${rate}: not true, so the limits do not apply`);
  const others = Object.keys(annotations).filter(
    (name) => (name.startsWith(haproxy) || name.startsWith(router)) && !readNames.has(name),
  );
  remarks.push(...others.map((name) => `${name}: has no effect`));
  return { ...values, ...switches, sameSite, remarks: remarks.sort() };
});

type Present<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

/** Drops undefined values. */
function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** Accepts what Go's strconv.ParseBool accepts. */
function parseBoolean(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

function parseCount(text: string): number | undefined {
  const value = /^\+?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 2_147_483_647 ? value : undefined;
}

/** HAProxy compares each connection's address with the list, and keeps about 200 bytes per entry. */
const MAX_ALLOWLIST_ENTRIES = 4_096;

/**
 * Why a route is refused because of its allowlist; undefined if it is not. Without a list that is too long the route would be open to all clients,
 * and with a part of it to the wrong ones.
 */
export function allowlistProblem(annotations: Annotations): string | undefined {
  const name = allowlistName(annotations);
  return wordsOf(annotations[name] ?? '').length > MAX_ALLOWLIST_ENTRIES
    ? `${name}: expected at most ${MAX_ALLOWLIST_ENTRIES} entries`
    : undefined;
}

/** The new name takes precedence over the old one. */
function allowlistName(annotations: Annotations): string {
  return annotations[`${haproxy}ip_allowlist`] === undefined
    ? `${haproxy}ip_whitelist`
    : `${haproxy}ip_allowlist`;
}

function readAllowlist(annotations: Annotations, remarks: string[]): readonly string[] | undefined {
  const name = allowlistName(annotations);
  const text = annotations[name];
  if (text === undefined) return undefined;
  const { entries, refused } = parseAllowlist(text);
  if (refused > 0) remarks.push(`${name}: ${refused} entries ignored, expected IP addresses and networks`);
  if (entries.length === 0) remarks.push(`${name}: ignored as a whole, so all clients may connect`);
  return entries.length === 0 ? undefined : entries;
}

interface Allowlist {
  /** Each once. If empty, every client may connect. */
  readonly entries: readonly string[];
  /** How many words are neither addresses nor networks. */
  readonly refused: number;
}

/**
 * IP addresses and networks, separated by white space. As in openshift-router, invalid entries are dropped, and leading or trailing white space
 * invalidates the whole list: every client may connect then.
 */
function parseAllowlist(text: string): Allowlist {
  if (text !== text.trim()) return { entries: [], refused: 1 };
  const words = [...new Set(wordsOf(text))];
  const entries = words.filter(isNetwork);
  return { entries, refused: words.length - entries.length };
}

/** At most one word more than an allowlist may have. */
function wordsOf(text: string): readonly string[] {
  return text
    .trim()
    .split(/\s+/, MAX_ALLOWLIST_ENTRIES + 1)
    .filter((word) => word !== '');
}

function isNetwork(text: string): boolean {
  if (text.length > 49 || !/^[0-9a-fA-F.:/]+$/.test(text)) return false;
  const [address = '', prefix, ...more] = text.split('/');
  if (more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
  // Like HAProxy, refuses leading zeros.
  const family = isIP(address);
  return family !== 0 && Number(prefix ?? 0) <= (family === 4 ? 32 : 128);
}

/** HAProxy's maximum time: 2147483647 ms. */
const maxMs = 2_147_483_647;

const unitMs: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `30s`, `500` (ms), `1d`. Caps the value at HAProxy's maximum; undefined if the text is no valid time. */
function parseHaproxyDuration(text: string): number | undefined {
  const [, digits, unit = 'ms'] = /^([1-9][0-9]*)(us|ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Math.min(maxMs, Math.ceil(Number(digits) * (unitMs[unit] ?? 1)));
}
