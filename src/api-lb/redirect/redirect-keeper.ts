import { type Nft, type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import { type Redirect, type RedirectOutcome, redirectProblems } from './redirect.ts';
import { redirectRuleset, redirectTable, removalRuleset } from './ruleset.ts';
import { meaningOf, parseTableListing, redirects } from './table-listing.ts';

export interface RedirectKeeper {
  /**
   * Ensures that the kernel has exactly this redirect, and touches no table but its own. An intact table is not written, a missing or altered
   * one is replaced in one transaction. Call it in every iteration. Without a VIP the table is removed. Rejects only when `signal` stops it.
   */
  ensure(wanted: Redirect, signal?: AbortSignal): Promise<RedirectOutcome>;
  /** Reports the kernel's state and changes nothing: an earlier process's redirect stays until the first decision. */
  look(wanted: Redirect, signal?: AbortSignal): Promise<RedirectOutcome>;
  /**
   * Ensures that the kernel has no redirect, including an earlier process's. New connections then reach the
   * API server itself. Open ones stay open while another program on the node translates addresses (kube-proxy and the
   * CNI do): with the last such rule the kernel stops translating at all.
   */
  remove(signal?: AbortSignal): Promise<RedirectOutcome>;
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
  const remove = async (signal?: AbortSignal): Promise<RedirectOutcome> => {
    known = undefined;
    return await removeTable(nft, table, signal);
  };
  const ensure = async (wanted: Redirect, signal?: AbortSignal): Promise<RedirectOutcome> => {
    if (wanted.vips.length === 0) return await remove(signal);
    const problems = redirectProblems(wanted);
    if (problems.length > 0) return { kind: 'failed', message: problems.join('; ') };
    const ruleset = redirectRuleset(wanted, table);
    if (known?.ruleset === ruleset && (await meaningInKernel(nft, table, signal)) === known.meaning)
      return { kind: 'present', changed: false };
    known = undefined;
    const loaded = await load(nft, { table, ruleset }, wanted, signal);
    if (loaded.kind === 'failed') return loaded;
    known = { ruleset, meaning: loaded.meaning };
    return { kind: 'present', changed: true };
  };
  const look = async (wanted: Redirect, signal?: AbortSignal): Promise<RedirectOutcome> => {
    const listed = await nft(listArgs(table), undefined, signal);
    if (!listed.ok && !listed.missingTable) return { kind: 'failed', message: listed.message };
    const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
    const isPresent = listing !== undefined && redirects(listing, wanted);
    return { kind: isPresent ? 'present' : 'absent', changed: false };
  };
  return { ensure, remove, look };
}

const listArgs = (table: string): readonly string[] => ['-j', 'list', 'table', 'inet', table];

async function meaningInKernel(nft: Nft, table: string, signal?: AbortSignal): Promise<string | undefined> {
  const listed = await nft(listArgs(table), undefined, signal);
  const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
  return listing === undefined ? undefined : meaningOf(listing);
}

async function load(
  nft: Nft,
  { table, ruleset }: { readonly table: string; readonly ruleset: string },
  wanted: Redirect,
  signal?: AbortSignal,
): Promise<
  { readonly kind: 'loaded'; readonly meaning: string } | Extract<RedirectOutcome, { kind: 'failed' }>
> {
  const loaded = await nft(['-f', '-'], ruleset, signal);
  if (!loaded.ok) return { kind: 'failed', message: loaded.message };
  const listed = await nft(listArgs(table), undefined, signal);
  if (!listed.ok) return { kind: 'failed', message: listed.message };
  const listing = parseTableListing(listed.stdout);
  if (listing === undefined || !redirects(listing, wanted)) {
    const message = `Cannot keep table "inet ${table}": its content differs right after it was loaded, expected no other program to change it`;
    return { kind: 'failed', message };
  }
  return { kind: 'loaded', meaning: meaningOf(listing) };
}

async function removeTable(nft: Nft, table: string, signal?: AbortSignal): Promise<RedirectOutcome> {
  const listed = await nft(listArgs(table), undefined, signal);
  if (!listed.ok && listed.missingTable) return { kind: 'absent', changed: false };
  const removed = await nft(['-f', '-'], removalRuleset(table), signal);
  return removed.ok ? { kind: 'absent', changed: true } : { kind: 'failed', message: removed.message };
}
