import { codeOf, messageOf } from '../model/errors.ts';
import { type Redirect, type RedirectOutcome, redirectProblems } from '../model/redirect.ts';
import { type CommandResult, runCommand } from '../system/run-command.ts';
import { REDIRECT_TABLE, redirectRuleset, removalRuleset } from './ruleset.ts';
import { meaningOf, parseTableListing, redirects } from './table-listing.ts';

export interface RedirectKeeper {
  /**
   * Has exactly this redirect in the kernel when it returns, and touches nothing but its own table. Looks first: an
   * intact table is left alone, a missing or altered one is replaced in one transaction. Call it on every round.
   * Without a VIP there is nothing to redirect, and the table goes. Rejects only when `signal` stops it.
   */
  ensure(wanted: Redirect, signal?: AbortSignal): Promise<RedirectOutcome>;
  /**
   * Has no redirect in the kernel when it returns, also one that an earlier process left. New connections then reach the
   * API server itself. Open ones stay open as long as somebody else on the node translates addresses (kube-proxy or the
   * CNI do): with the last such rule the kernel stops translating at all.
   */
  remove(signal?: AbortSignal): Promise<RedirectOutcome>;
}

export interface RedirectKeeperOptions {
  /** How nft is run, default `['nft']`. */
  readonly nft?: readonly [string, ...string[]];
  /** Default 10 s. nft waits for whoever else is changing rules. */
  readonly timeoutMs?: number;
}

type Nft = (args: readonly string[], input: string | undefined, signal?: AbortSignal) => Promise<NftOutcome>;
type NftOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly missingTable: boolean; readonly message: string };

/** What the kernel said right after our own ruleset went in. */
interface Known {
  readonly ruleset: string;
  readonly meaning: string;
}

/**
 * Keeps the redirect in a table of its own.
 *
 * "Intact" is judged by comparing nft's listing with the listing of just after we loaded the table: versions of nft
 * spell the same rule differently, but each spells it the same way every time. The first `ensure` of a process
 * therefore loads the table even if an equal one is there, which costs no packet.
 */
export function createRedirectKeeper(options: RedirectKeeperOptions = {}): RedirectKeeper {
  const nft = nftRunner(options.nft ?? ['nft'], options.timeoutMs ?? 10_000);
  let known: Known | undefined;
  const remove = async (signal?: AbortSignal): Promise<RedirectOutcome> => {
    known = undefined;
    return await removeTable(nft, signal);
  };
  const ensure = async (wanted: Redirect, signal?: AbortSignal): Promise<RedirectOutcome> => {
    if (wanted.vips.length === 0) return await remove(signal);
    const problems = redirectProblems(wanted);
    if (problems.length > 0) return { kind: 'failed', message: problems.join('; ') };
    const ruleset = redirectRuleset(wanted);
    if (known?.ruleset === ruleset && (await meaningInKernel(nft, signal)) === known.meaning)
      return { kind: 'present', changed: false };
    known = undefined;
    const loaded = await load(nft, ruleset, wanted, signal);
    if (loaded.kind === 'failed') return loaded;
    known = { ruleset, meaning: loaded.meaning };
    return { kind: 'present', changed: true };
  };
  return { ensure, remove };
}

const listArgs = ['-j', 'list', 'table', 'inet', REDIRECT_TABLE];

async function meaningInKernel(nft: Nft, signal?: AbortSignal): Promise<string | undefined> {
  const listed = await nft(listArgs, undefined, signal);
  const listing = listed.ok ? parseTableListing(listed.stdout) : undefined;
  return listing === undefined ? undefined : meaningOf(listing);
}

async function load(
  nft: Nft,
  ruleset: string,
  wanted: Redirect,
  signal?: AbortSignal,
): Promise<
  { readonly kind: 'loaded'; readonly meaning: string } | Extract<RedirectOutcome, { kind: 'failed' }>
> {
  const loaded = await nft(['-f', '-'], ruleset, signal);
  if (!loaded.ok) return { kind: 'failed', message: loaded.message };
  const listed = await nft(listArgs, undefined, signal);
  if (!listed.ok) return { kind: 'failed', message: listed.message };
  const listing = parseTableListing(listed.stdout);
  if (listing === undefined || !redirects(listing, wanted)) {
    const message = `Cannot keep table "inet ${REDIRECT_TABLE}": it holds something else right after it was loaded, expected nobody else to change it`;
    return { kind: 'failed', message };
  }
  return { kind: 'loaded', meaning: meaningOf(listing) };
}

async function removeTable(nft: Nft, signal?: AbortSignal): Promise<RedirectOutcome> {
  const listed = await nft(listArgs, undefined, signal);
  if (!listed.ok && listed.missingTable) return { kind: 'absent', changed: false };
  const removed = await nft(['-f', '-'], removalRuleset(), signal);
  return removed.ok ? { kind: 'absent', changed: true } : { kind: 'failed', message: removed.message };
}

function nftRunner(command: readonly [string, ...string[]], timeoutMs: number): Nft {
  return async (args, input, signal) => {
    let result: CommandResult;
    try {
      result = await runCommand([...command, ...args], {
        timeoutMs,
        ...(input === undefined ? {} : { input }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      return failure(`"${command.join(' ')}" cannot be run (${codeOf(error) ?? messageOf(error)})`, false);
    }
    signal?.throwIfAborted();
    if (result.exitCode === 0) return { ok: true, stdout: result.stdout };
    if (result.timedOut) return failure(`nft was not done after ${timeoutMs} ms`, false);
    return failure(firstLine(result.stderr), /No such file or directory/.test(result.stderr));
  };
}

function failure(what: string, missingTable: boolean): NftOutcome {
  const message = `Cannot use nftables table "inet ${REDIRECT_TABLE}": ${what}, expected nft with CAP_NET_ADMIN`;
  return { ok: false, missingTable, message };
}

function firstLine(stderr: string): string {
  return stderr.trim().split('\n')[0] ?? '';
}
