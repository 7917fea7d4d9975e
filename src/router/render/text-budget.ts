import { MAX_CONFIGURATION_BYTES, MAX_SET_BYTES, MAX_SET_FILES } from '../../engine/config/limits.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { RouteBackend } from '../model.ts';
import { quotedLiteral } from './quoted.ts';
import { INLINE_ADDRESSES, needsFile } from './template-backend.ts';

/** Leaves room for text that belongs to no route, and for inaccurate estimates. */
const MAX_TEXT_BYTES = MAX_CONFIGURATION_BYTES - 8 * 1024 * 1024;

/** How many bytes all routes together may print: room for some long routes, and thirty servers for each of the others. */
export function textBudget(routes: number): number {
  return Math.min(MAX_TEXT_BYTES, 16 * 1024 * 1024 + routes * 16 * 1024);
}

/** An upper bound for the fixed words of a line, including a cookie's value. */
const WORDS = 352;
/** An upper bound for a server's address or an entry of an allowlist. */
const ADDRESS = 48;

/** An upper bound for the bytes that the template prints for a route. */
function textSize(route: RouteBackend): number {
  const { name, key, servers, headers, path, rewriteTarget, hsts, allowlist = [] } = route;
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  const actions = [...headers.request, ...headers.response].map(
    (action) => WORDS + action.name.length + (action.kind === 'set' ? quotedBytes(action.value) : 0),
  );
  const own = servers.map(
    ({ name, verifyHost = '' }) => WORDS + ADDRESS + name.length + key.length + verifyHost.length,
  );
  const texts = [path, rewriteTarget ?? '', hsts ?? ''].map((text) => 2 * quotedBytes(text));
  const addresses = Math.min(allowlist.length, INLINE_ADDRESSES) * ADDRESS;
  return 4 * WORDS + addresses + name.length + sum(actions) + sum(own) + sum(texts);
}

/** A header's value may have characters of several bytes; names and addresses are ASCII. */
function quotedBytes(text: string): number {
  return Buffer.byteLength(quotedLiteral(text));
}

/** Leaves room for maps, and for files that belong to no route. */
const OTHER_FILES = 64;
const OTHER_BYTES = 2 * 1024 * 1024;
/** A route appears in several lines of maps and lists, where a regular expression may double its text. */
const MAX_LINES = 6;
const LINE_WORDS = 32;
/** An entry of an allowlist takes about 200 bytes of HAProxy's memory, however short it is. */
const LIST_ENTRY = 256;

/** An upper bound for a route's own files and its lines in shared files. */
function fileSizes({ certificate, verify, allowlist, ...route }: RouteBackend) {
  const list = needsFile(allowlist) ? LIST_ENTRY * (allowlist ?? []).length : 0;
  const own = [certificate?.pem, verify?.kind === 'route-ca' ? verify.pem : undefined].filter(
    (pem) => pem !== undefined,
  );
  const lines = MAX_LINES * (2 * (route.host.length + route.path.length) + route.name.length + LINE_WORDS);
  return {
    files: own.length + (needsFile(allowlist) ? 1 : 0),
    bytes: own.reduce((sum, { length }) => sum + length, lines + list),
  };
}

/** How much of the limits for all routes one route takes. */
export interface RouteSizes {
  readonly textBytes: number;
  readonly files: number;
  readonly bytes: number;
}

export const noSizes: RouteSizes = { textBytes: 0, files: 0, bytes: 0 };

/** Throws if the route cannot be printed. */
export function sizesOf(route: RouteBackend): RouteSizes {
  return { textBytes: textSize(route), ...fileSizes(route) };
}

interface Sized {
  readonly route: RouteBackend;
  readonly sizes: RouteSizes;
}

/**
 * The routes that exceed the limits for the configuration's text or the set's files, and why. Tenants share both limits, so a tenant with many or
 * long routes must not use up the space of others. `givenBytes` is the size of the administrator's files.
 */
export function tooLarge(routes: readonly Sized[], givenBytes: number): ReadonlyMap<RouteBackend, string> {
  const rejected = new Map<RouteBackend, string>();
  const reject = (of: keyof RouteSizes, room: number, what: (size: number) => string): void => {
    const others = rejected.size === 0 ? routes : routes.filter(({ route }) => !rejected.has(route));
    for (const { route, sizes } of sharesToDrop(others, of, room))
      rejected.set(route, `its ${what(sizes[of])} (more than the other routes leave space for)`);
  };
  reject('textBytes', textBudget(routes.length), (size) => `configuration of ${size} bytes`);
  reject('files', MAX_SET_FILES - OTHER_FILES, (size) => (size === 1 ? '1 file' : `${size} files`));
  reject('bytes', MAX_SET_BYTES - OTHER_BYTES - givenBytes, (size) => `files of ${size} bytes`);
  return rejected;
}

interface Share {
  /** `namespace:name` */
  readonly route: Pick<RouteBackend, 'key'>;
  readonly sizes: RouteSizes;
}

/**
 * Chooses the shares to drop so that the rest fit: always from the namespace with the largest total, its largest share first. So a tenant with many
 * small routes loses some of them before another tenant loses a large route. The order of the input does not matter.
 */
export function sharesToDrop<T extends Share>(
  shares: readonly T[],
  of: keyof RouteSizes,
  room: number,
): readonly T[] {
  let total = 0;
  for (const { sizes } of shares) total += sizes[of];
  if (total <= room) return [];
  const dropped: T[] = [];
  // The share with the highest running sum is the largest one of the namespace with the largest remaining total.
  for (const { share } of sumsOf(shares, of).toSorted((a, b) => b.sum - a.sum || byKey(b.share, a.share))) {
    if (total <= room) break;
    dropped.push(share);
    total -= share.sizes[of];
  }
  return dropped;
}

/** Each share with the running sum of its namespace, smallest share first. */
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
