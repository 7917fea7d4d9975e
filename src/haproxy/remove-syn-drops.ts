import { forgetTable } from '../engine/system/nft/forget-table.ts';
import { type NftOptions, nftFor } from '../engine/system/nft/nft.ts';
import { DROP_SYN_TABLE } from './drop-syn.ts';

/**
 * Removes the tables of `DROP_SYN_DURING_RESTART`, of any instance: a supervisor that is killed in a reload leaves one. It returns why
 * that cannot be done, and undefined once there are none. Never rejects.
 */
export async function removeSynDrops(options: NftOptions = {}): Promise<string | undefined> {
  const nft = nftFor(DROP_SYN_TABLE, options);
  const listed = await nft(['list', 'tables', 'inet'], undefined);
  if (!listed.ok) return listed.message;
  const ours = listed.stdout
    .split('\n')
    .map((line) => line.replace(/^table /, ''))
    .filter((table) => table === DROP_SYN_TABLE || table.startsWith(`${DROP_SYN_TABLE}-`));
  if (ours.length === 0) return undefined;
  const removed = await nft(['-f', '-'], ours.map(forgetTable).join(''));
  return removed.ok ? undefined : removed.message;
}
