import { MAX_CONFIGURATION_BYTES, MAX_SET_BYTES, MAX_SET_FILES } from '../../engine/config/limits.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { RouteBackend } from '../model.ts';
import { quotedLiteral } from './quoted.ts';
import { INLINE_ADDRESSES, isLong } from './template-backend.ts';

/** Leaves room for text that belongs to no route, and for estimates. */
const MOST_CHARACTERS = MAX_CONFIGURATION_BYTES - 8 * 1024 * 1024;

/** What the routes of a router may print: room for some long ones, and thirty servers for each of the others. */
export function textBudget(routes: number): number {
  return Math.min(MOST_CHARACTERS, 16 * 1024 * 1024 + routes * 16 * 1024);
}

/** The words of a line that are not a tenant's, and the value of a cookie. */
const WORDS = 352;
/** A server's address, or an entry of an allowlist. */
const ADDRESS = 48;

/** More characters than the template prints for a route that can be printed. */
function textSize(route: RouteBackend): number {
  const { name, key, servers, headers, path, rewriteTarget, hsts, allowlist = [] } = route;
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  const actions = [...headers.request, ...headers.response].map(
    (action) => WORDS + action.name.length + (action.kind === 'set' ? quotedLiteral(action.value).length : 0),
  );
  const own = servers.map(
    ({ name, verifyHost = '' }) => WORDS + ADDRESS + name.length + key.length + verifyHost.length,
  );
  const texts = [path, rewriteTarget ?? '', hsts ?? ''].map((text) => 2 * quotedLiteral(text).length);
  const addresses = Math.min(allowlist.length, INLINE_ADDRESSES) * ADDRESS;
  return 4 * WORDS + addresses + name.length + sum(actions) + sum(own) + sum(texts);
}

/** Leaves room for maps and for files of no route. */
const OTHER_FILES = 64;
const OTHER_BYTES = 2 * 1024 * 1024;
/** A route is in some lines of maps and lists, in which regular expressions may double its text. */
const MOST_LINES = 6;
const LINE_WORDS = 32;

/** The files of a route, and its lines in those of all routes: no fewer bytes than are written. */
function fileSizes({ certificate, verify, allowlist, ...route }: RouteBackend) {
  const list = isLong(allowlist) ? (allowlist ?? []).map((entry) => `${entry}\n`) : [];
  const own = [certificate?.pem, verify?.kind === 'route-ca' ? verify.pem : undefined].filter(
    (pem) => pem !== undefined,
  );
  const lines = MOST_LINES * (2 * (route.host.length + route.path.length) + route.name.length + LINE_WORDS);
  return {
    files: own.length + (isLong(allowlist) ? 1 : 0),
    bytes: [...own, ...list].reduce((sum, { length }) => sum + length, lines),
  };
}

/** A route's shares of the limits for all routes. */
export interface RouteSizes {
  readonly characters: number;
  readonly files: number;
  readonly bytes: number;
}

export const noSizes: RouteSizes = { characters: 0, files: 0, bytes: 0 };

/** Throws for a route that cannot be printed. */
export function sizesOf(route: RouteBackend): RouteSizes {
  return { characters: textSize(route), ...fileSizes(route) };
}

interface Sized {
  readonly route: RouteBackend;
  readonly sizes: RouteSizes;
}

/**
 * The routes that do not fit with the others, and why: by their text in the configuration, or by their files in its set. Tenants share both, so
 * that one with many or long routes must not take the others' room. `givenBytes` is the size of the administrator's files.
 */
export function tooLarge(routes: readonly Sized[], givenBytes: number): ReadonlyMap<RouteBackend, string> {
  const left = new Map<RouteBackend, string>();
  const leaveOut = (of: keyof RouteSizes, room: number, what: (size: number) => string): void => {
    const others = left.size === 0 ? routes : routes.filter(({ route }) => !left.has(route));
    for (const { route, sizes } of beyondShare(others, of, room))
      left.set(route, `its ${what(sizes[of])}, more than the other routes leave room for,`);
  };
  leaveOut('characters', textBudget(routes.length), (size) => `configuration of ${size} characters`);
  leaveOut('files', MAX_SET_FILES - OTHER_FILES, (size) => (size === 1 ? '1 file' : `${size} files`));
  leaveOut('bytes', MAX_SET_BYTES - OTHER_BYTES - givenBytes, (size) => `files of ${size} bytes`);
  return left;
}

interface Share {
  /** `namespace:name` */
  readonly route: Pick<RouteBackend, 'key'>;
  readonly sizes: RouteSizes;
}

/**
 * The shares to drop so that the rest fit: always from the namespace with the largest total, its largest share first. A tenant with many small
 * routes loses some of them before another tenant loses a large route. The order of the input does not matter.
 */
export function beyondShare<T extends Share>(
  shares: readonly T[],
  of: keyof RouteSizes,
  room: number,
): readonly T[] {
  let total = 0;
  for (const { sizes } of shares) total += sizes[of];
  if (total <= room) return [];
  const gone: T[] = [];
  // A namespace has most in all while the sum up to its largest one is the highest.
  for (const { share } of sumsOf(shares, of).toSorted((a, b) => b.sum - a.sum || byKey(b.share, a.share))) {
    if (total <= room) break;
    gone.push(share);
    total -= share.sizes[of];
  }
  return gone;
}

/** Each with the sum of its namespace up to it, from the smallest one. */
function sumsOf<T extends Share>(shares: readonly T[], of: keyof RouteSizes) {
  const namespaces = Map.groupBy(shares, ({ route: { key } }) => key.slice(0, key.indexOf(':')));
  return [...namespaces.values()].flatMap((list) => {
    let sum = 0;
    return list
      .toSorted((a, b) => a.sizes[of] - b.sizes[of] || byKey(a, b))
      .map((share) => {
        sum += share.sizes[of];
        return { share, sum };
      });
  });
}

const byKey = (a: Share, b: Share): number => compareText(a.route.key, b.route.key);
