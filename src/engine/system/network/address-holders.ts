import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, ownMacs, readNeighbours, touchNeighbour } from './neighbours.ts';

/** Another host that answers for an address. */
export interface Holder<N> {
  readonly mac: string;
  /** The node that has this MAC; undefined for an unknown host. */
  readonly node: N | undefined;
}

export type HoldersOf<N> = (address: string) => readonly Holder<N>[];

/**
 * Finds the holders of an address in these answers. A MAC belongs to a node if the kernel knows it for any of the node's addresses. Omits this
 * machine's own MACs.
 */
export function holdersAmong<N extends { readonly address: string }>(
  answers: readonly Answer[],
  known: readonly Answer[] = [],
  nodes: readonly N[] = [],
): HoldersOf<N> {
  const own = ownMacs();
  const nodeOf = (mac: string): N | undefined =>
    nodes.find(({ address }) => known.some((each) => each.mac === mac && each.address === address));
  return (address) => {
    const macs = answers.flatMap((each) => (each.address === address && !own.has(each.mac) ? each.mac : []));
    return [...new Set(macs)].map((mac) => ({ mac, node: nodeOf(mac) }));
  };
}

/** Number of reads. On a busy machine the first one may come late, so reads are counted, not timed. */
const READS = 6;
const READ_EVERY_MS = 50;

/**
 * Resolves addresses of other machines on the segment. Needs no privileges: the kernel's neighbour table has the answers. Ends early once a node
 * holds each address. Never rejects.
 */
export async function findHolders<N extends { readonly address: string }>(
  addresses: readonly string[],
  nodes: readonly N[],
  tableTimeoutMs?: number,
): Promise<HoldersOf<N>> {
  if (addresses.length === 0) return () => [];
  await Promise.all(addresses.map(touchNeighbour));
  for (let reads = 1; ; reads += 1) {
    const table = (await readNeighbours(tableTimeoutMs)) ?? [];
    const holders = holdersAmong(table, table, nodes);
    const isFound = addresses.every((address) => holders(address).some(({ node }) => node !== undefined));
    if (isFound || reads === READS) return holders;
    await pause(READ_EVERY_MS);
  }
}
