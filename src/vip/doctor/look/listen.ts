import { lastWords, type RunProgram } from '../../../engine/examine/run-program.ts';
import { forgetTable } from '../../../engine/system/nft/forget-table.ts';
import { sleep } from '../../../engine/system/time/sleep.ts';

/** Three adverts of a router that keeps to the usual second, and a little: one that comes late is still heard. */
export const LISTEN_MS = 3_200;

interface ListeningTable {
  /** `inet hawser_doctor`; one that a killed process left is replaced by the next. */
  readonly table: string;
  /** Makes it, and nothing else; drops no packet. */
  readonly ruleset: string;
}

type Listened =
  /** What `nft -j list table` printed. */
  { readonly kind: 'listed'; readonly json: string } | { readonly kind: 'failed'; readonly message: string };

/**
 * The content of an nftables table after `LISTEN_MS`, or when `signal` aborts. The table is gone when this resolves,
 * also after a failure. A process that ends earlier must wait for its running programs.
 */
export async function listenWith(
  run: RunProgram,
  { table, ruleset }: ListeningTable,
  signal: AbortSignal,
  /** Makes others send what is listened for, once the table is there. Returns what went wrong. */
  provoke: () => Promise<string | undefined> = async () => undefined,
): Promise<Listened> {
  // An nft that is killed may have made the table or not; it takes milliseconds.
  const unstoppable = new AbortController().signal;
  const loaded = await run(['nft', ruleset], unstoppable);
  if (loaded.kind === 'missing') return { kind: 'failed', message: loaded.message };
  try {
    if (loaded.kind === 'late') return { kind: 'failed', message: loaded.message };
    if (loaded.exitCode !== 0) return { kind: 'failed', message: `nft: ${lastWords(loaded)}` };
    const trouble = await provoke();
    if (trouble !== undefined) return { kind: 'failed', message: trouble };
    await sleep(LISTEN_MS, signal);
    const listed = await run(['nft', '-j', 'list', 'table', ...table.split(' ')], signal);
    if (listed.kind !== 'ran' || listed.exitCode !== 0)
      return { kind: 'failed', message: `table "${table}" of nft cannot be read` };
    return { kind: 'listed', json: listed.stdout };
  } finally {
    await run(['nft', forgetTable(table)], unstoppable);
  }
}
