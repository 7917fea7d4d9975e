import { setTimeout as pause } from 'node:timers/promises';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { ownMacs, readNeighbourTable, touchNeighbour } from '../../engine/system/network/neighbours.ts';

/** Counted, not timed: on a busy machine the first look may come late. */
const LOOKS = 6;
const LOOK_EVERY_MS = 50;

/** The holder of a VIP, as the segment reports it: `unknown` if a host that is none of these nodes answers for it. */
type VipHolder =
  | { readonly kind: 'here' }
  | { readonly kind: 'node'; readonly name: string; readonly address: string }
  | { readonly kind: 'unknown'; readonly mac: string }
  | { readonly kind: 'free' };

/** Asks the segment for the VIP unless it is on this node. Never rejects. */
export async function findHolder(
  vip: string,
  nodes: readonly { readonly name: string; readonly address: string }[],
): Promise<VipHolder> {
  if (presentAddresses().has(vip)) return { kind: 'here' };
  await touchNeighbour(vip);
  for (let look = 1; ; look += 1) {
    const found = await lookUp(vip, nodes);
    if (found.kind === 'node' || look === LOOKS) return found;
    await pause(LOOK_EVERY_MS);
  }
}

/** Finds the node of a MAC by the addresses that the kernel knows for it. VRRP has sent to each of them. */
async function lookUp(
  vip: string,
  nodes: readonly { readonly name: string; readonly address: string }[],
): Promise<VipHolder> {
  const own = ownMacs();
  for (const [mac, addresses] of (await readNeighbourTable()) ?? []) {
    if (!addresses.includes(vip) || own.has(mac)) continue;
    const node = nodes.find(({ address }) => addresses.includes(address));
    return node === undefined ? { kind: 'unknown', mac } : { kind: 'node', ...node };
  }
  return { kind: 'free' };
}

export function holderText(holder: VipHolder): string {
  switch (holder.kind) {
    case 'here':
      return 'this node';
    case 'node':
      return `${holder.name} (${holder.address})`;
    case 'unknown':
      return `an unknown node (${holder.mac})`;
    case 'free':
      return 'no node that answers';
  }
}
