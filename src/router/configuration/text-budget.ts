import { MAX_CONFIGURATION_BYTES } from '../../engine/apply/limits.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import type { RouteBackend } from '../model.ts';
import { quotedLiteral } from './quoted.ts';
import { INLINE_ADDRESSES } from './template-backend.ts';

/** Beside what is not of routes, and with room for what is estimated. */
const MOST_CHARACTERS = MAX_CONFIGURATION_BYTES - 8 * 1024 * 1024;

/** What the routes of a router may print: room for some long ones, and thirty servers for each of the others. */
export function textBudget(routes: number): number {
  return Math.min(MOST_CHARACTERS, 16 * 1024 * 1024 + routes * 16 * 1024);
}

/** The words of a line that are not a tenant's, and the value of a cookie. */
const WORDS = 352;
/** A server's address, or an entry of an allowlist. */
const ADDRESS = 48;

/** More than the template prints for a route that can be printed. */
export const textSize = oncePer((route: RouteBackend): number => {
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
});

/**
 * The routes that print too much for the configuration to hold all, with their sizes: the longest first, until the others
 * fit. Tenants share the configuration, so that one with long routes must not take the room of the others.
 */
export function tooLong(
  routes: readonly RouteBackend[],
  textSizes: readonly number[],
): ReadonlyMap<RouteBackend, number> {
  let total = textSizes.reduce((sum, size) => sum + size, 0);
  const budget = textBudget(routes.length);
  const left = new Map<RouteBackend, number>();
  if (total <= budget) return left;
  const sizes = routes.map((route) => ({ route, size: textSize(route) }));
  for (const { route, size } of sizes.sort(
    (a, b) => b.size - a.size || (a.route.key < b.route.key ? 1 : -1),
  )) {
    if (total <= budget) break;
    left.set(route, size);
    total -= size;
  }
  return left;
}
