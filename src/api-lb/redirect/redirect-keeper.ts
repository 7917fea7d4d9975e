import { type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import { type Redirect, type RedirectOutcome, redirectProblems } from './redirect.ts';
import { redirectRuleset, redirectTable, removalRuleset } from './ruleset.ts';
import { meaningOf, parseTableListing, redirects } from './table-listing.ts';

export interface RedirectKeeper {
  /**
   * Ensures that the kernel has exactly this redirect. Touches only hawser's own table: leaves an intact table unchanged, and replaces a missing or
   * altered one in one transaction. Removes the table if there is no VIP. Call it in every iteration. Never rejects.
   */
  readonly ensure: (desired: Redirect) => Promise<RedirectOutcome>;
  /** Reports the kernel's state without changing it, so that an earlier process's redirect stays until the first decision. */
  readonly observe: (desired: Redirect) => Promise<RedirectOutcome>;
  /**
   * Ensures that the kernel has no redirect, including one of an earlier process. New connections then reach the API server
   * itself. Redirected connections survive if another program on the node translates addresses, as kube-proxy and CNI plugins
   * do: the kernel stops translating when the last rule for it is removed.
   */
  readonly remove: () => Promise<RedirectOutcome>;
}

/** A ruleset that was loaded, and the kernel's listing right after. */
interface Loaded {
  readonly ruleset: string;
  readonly meaning: string;
}

/**
 * Keeps the redirect in its own table.
 *
 * A table is intact if nft's listing equals the listing right after the table was loaded. Versions of nft print the same rule
 * differently, but one version always prints it alike. The first `ensure` of a process therefore loads the table even if it is
 * present already, which drops no packet.
 */
export function createRedirectKeeper({
  instance,
  ...options
}: NftOptions & { readonly instance?: string | undefined } = {}): RedirectKeeper {
  const table = redirectTable(instance);
  const nft = nftFor(`inet ${table}`, options);
  let loaded: Loaded | undefined;
  const list = () => nft(['-j', 'list', 'table', 'inet', table]);
  const isIntact = async (ruleset: string): Promise<boolean> => {
    if (loaded?.ruleset !== ruleset) return false;
    const listed = await list();
    const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
    return listing !== undefined && meaningOf(listing) === loaded.meaning;
  };
  const load = async (ruleset: string, desired: Redirect): Promise<RedirectOutcome> => {
    const result = await nft(['-f', '-'], ruleset);
    const listed = result.ok ? await list() : result;
    if (!listed.ok) return { kind: 'failed', message: listed.message };
    const listing = parseTableListing(listed.stdout);
    if (listing === undefined || !redirects(listing, desired)) {
      const message = `Cannot keep table "inet ${table}": its content differs right after it was loaded, expected no other program to change it`;
      return { kind: 'failed', message };
    }
    loaded = { ruleset, meaning: meaningOf(listing) };
    return { kind: 'present', changed: true };
  };
  const remove = async (): Promise<RedirectOutcome> => {
    loaded = undefined;
    const listed = await list();
    if (!listed.ok && listed.missingTable) return { kind: 'absent', changed: false };
    const removed = await nft(['-f', '-'], removalRuleset(table));
    return removed.ok ? { kind: 'absent', changed: true } : { kind: 'failed', message: removed.message };
  };
  return {
    remove,
    ensure: async (desired) => {
      if (desired.vips.length === 0) return await remove();
      const problems = redirectProblems(desired);
      if (problems.length > 0) return { kind: 'failed', message: problems.join('; ') };
      const ruleset = redirectRuleset(desired, table);
      if (await isIntact(ruleset)) return { kind: 'present', changed: false };
      loaded = undefined;
      return await load(ruleset, desired);
    },
    observe: async (desired) => {
      const listed = await list();
      if (!listed.ok && !listed.missingTable) return { kind: 'failed', message: listed.message };
      const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
      const isPresent = listing !== undefined && redirects(listing, desired);
      return { kind: isPresent ? 'present' : 'absent', changed: false };
    },
  };
}
