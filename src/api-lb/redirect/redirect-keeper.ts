import { type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import { type Redirect, type RedirectOutcome, redirectProblems } from './redirect.ts';
import { redirectRuleset, redirectTable, removalRuleset } from './ruleset.ts';
import { meaningOf, parseTableListing, redirects } from './table-listing.ts';

export interface RedirectKeeper {
  /**
   * Ensures that the kernel has exactly this redirect, and touches no table but its own. An intact table is not written, a missing or altered
   * one is replaced in one transaction. Call it in every iteration. Without a VIP the table is removed. Never rejects.
   */
  readonly ensure: (wanted: Redirect) => Promise<RedirectOutcome>;
  /** Reports the kernel's state and changes nothing: an earlier process's redirect stays until the first decision. */
  readonly look: (wanted: Redirect) => Promise<RedirectOutcome>;
  /**
   * Ensures that the kernel has no redirect, including an earlier process's. New connections then reach the
   * API server itself. Open ones stay open while another program on the node translates addresses (kube-proxy and the
   * CNI do): with the last such rule the kernel stops translating at all.
   */
  readonly remove: () => Promise<RedirectOutcome>;
}

/** The kernel's listing right after our own ruleset was applied. */
interface Known {
  readonly ruleset: string;
  readonly meaning: string;
}

/**
 * Keeps the redirect in its own table.
 *
 * "Intact" is judged by comparing nft's listing with the listing right after we loaded the table: versions of nft
 * print the same rule differently, but each prints it the same way every time. The first `ensure` of a process
 * therefore loads the table even if an equal one exists, which costs no packet.
 */
export function createRedirectKeeper({
  instance,
  ...options
}: NftOptions & { readonly instance?: string | undefined } = {}): RedirectKeeper {
  const table = redirectTable(instance);
  const nft = nftFor(`inet ${table}`, options);
  let known: Known | undefined;
  const list = () => nft(['-j', 'list', 'table', 'inet', table]);
  const isIntact = async (ruleset: string): Promise<boolean> => {
    if (known?.ruleset !== ruleset) return false;
    const listed = await list();
    const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
    return listing !== undefined && meaningOf(listing) === known.meaning;
  };
  const load = async (ruleset: string, wanted: Redirect): Promise<RedirectOutcome> => {
    const loaded = await nft(['-f', '-'], ruleset);
    const listed = loaded.ok ? await list() : loaded;
    if (!listed.ok) return { kind: 'failed', message: listed.message };
    const listing = parseTableListing(listed.stdout);
    if (listing === undefined || !redirects(listing, wanted)) {
      const message = `Cannot keep table "inet ${table}": its content differs right after it was loaded, expected no other program to change it`;
      return { kind: 'failed', message };
    }
    known = { ruleset, meaning: meaningOf(listing) };
    return { kind: 'present', changed: true };
  };
  const remove = async (): Promise<RedirectOutcome> => {
    known = undefined;
    const listed = await list();
    if (!listed.ok && listed.missingTable) return { kind: 'absent', changed: false };
    const removed = await nft(['-f', '-'], removalRuleset(table));
    return removed.ok ? { kind: 'absent', changed: true } : { kind: 'failed', message: removed.message };
  };
  return {
    remove,
    ensure: async (wanted) => {
      if (wanted.vips.length === 0) return await remove();
      const problems = redirectProblems(wanted);
      if (problems.length > 0) return { kind: 'failed', message: problems.join('; ') };
      const ruleset = redirectRuleset(wanted, table);
      if (await isIntact(ruleset)) return { kind: 'present', changed: false };
      known = undefined;
      return await load(ruleset, wanted);
    },
    look: async (wanted) => {
      const listed = await list();
      if (!listed.ok && !listed.missingTable) return { kind: 'failed', message: listed.message };
      const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
      const isPresent = listing !== undefined && redirects(listing, wanted);
      return { kind: isPresent ? 'present' : 'absent', changed: false };
    },
  };
}
