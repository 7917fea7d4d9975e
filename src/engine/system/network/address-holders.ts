import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, ownMacs, readNeighbours, touchNeighbour } from './neighbours.ts';

/** Another host that answers for an address. */
export interface Holder<N> {
  readonly mac: string;
  /** The node whose network card that is; undefined for a stranger. */
  readonly node: N | undefined;
}

export type HoldersOf<N> = (address: string) => readonly Holder<N>[];

/**
 * Who holds which address, by these answers. A MAC is a node's if the kernel knows it for any of the node's addresses. This
 * machine's own MACs are left out.
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

/** Counted, not timed: on a busy machine the first read may come late. */
const LOOKS = 6;
const LOOK_EVERY_MS = 50;

/**
 * Asks the segment for addresses that are not on this machine, without privileges: the kernel's neighbour table has the answers.
 * Ends early once one of the nodes holds each of them. Never rejects.
 */
export async function findHolders<N extends { readonly address: string }>(
  addresses: readonly string[],
  nodes: readonly N[],
  tableTimeoutMs?: number,
): Promise<HoldersOf<N>> {
  if (addresses.length === 0) return () => [];
  await Promise.all(addresses.map(touchNeighbour));
  for (let look = 1; ; look += 1) {
    const table = (await readNeighbours(tableTimeoutMs)) ?? [];
    const holders = holdersAmong(table, table, nodes);
    const isFound = addresses.every((address) => holders(address).some(({ node }) => node !== undefined));
    if (isFound || look === LOOKS) return holders;
    await pause(LOOK_EVERY_MS);
  }
}
