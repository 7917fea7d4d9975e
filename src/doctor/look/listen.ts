import { setTimeout as pause } from 'node:timers/promises';
import { forgetTable } from '../../firewall/nft.ts';
import { lastWords, type RunProgram } from '../run-program.ts';

export interface ListeningTable {
  /** `inet hawser_doctor`; one that a killed process left is replaced by the next. */
  readonly table: string;
  /** Makes it, and nothing else; drops no packet. */
  readonly ruleset: string;
  readonly listenMs: number;
}

export type Listened =
  /** What `nft -j list table` printed. */
  { readonly kind: 'listed'; readonly json: string } | { readonly kind: 'failed'; readonly message: string };

/**
 * What the kernel has noted in a table of nftables after so long, or when `signal` aborts. The table is gone when this
 * resolves, also after a failure: whoever ends the process before has to wait for the programs that run.
 */
export async function listenWith(
  run: RunProgram,
  { table, ruleset, listenMs }: ListeningTable,
  signal: AbortSignal,
): Promise<Listened> {
  // An nft that is killed may have made the table or not; it takes milliseconds.
  const unstoppable = new AbortController().signal;
  const loaded = await run(['nft', ruleset], unstoppable);
  if (loaded.kind === 'missing') return { kind: 'failed', message: loaded.message };
  try {
    if (loaded.kind === 'late') return { kind: 'failed', message: loaded.message };
    if (loaded.exitCode !== 0) return { kind: 'failed', message: `nft: ${lastWords(loaded)}` };
    await pause(listenMs, undefined, { signal }).catch(() => undefined);
    const listed = await run(['nft', '-j', 'list', 'table', ...table.split(' ')], signal);
    if (listed.kind !== 'ran' || listed.exitCode !== 0)
      return { kind: 'failed', message: `table "${table}" of nft cannot be read` };
    return { kind: 'listed', json: listed.stdout };
  } finally {
    await run(['nft', forgetTable(table)], unstoppable);
  }
}
