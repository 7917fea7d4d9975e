import { forgetTable } from '../engine/system/nft/forget-table.ts';
import { type NftOptions, nftFor } from '../engine/system/nft/nft.ts';
import { DROP_SYN_TABLE } from './drop-syn.ts';

/**
 * Removes the table of `DROP_SYN_DURING_RESTART`, which a supervisor leaves if it is killed during a reload. Resolves with the reason if that fails,
 * or undefined. Never rejects.
 */
export async function removeSynDrops(options: NftOptions = {}): Promise<string | undefined> {
  const removed = await nftFor(DROP_SYN_TABLE, options)(['-f', '-'], forgetTable(DROP_SYN_TABLE));
  return removed.ok ? undefined : removed.message;
}
