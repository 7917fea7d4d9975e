import { findHolders } from '../../engine/system/network/address-holders.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';

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
  const [first] = (await findHolders([vip], nodes))(vip);
  if (first === undefined) return { kind: 'free' };
  const { mac, node } = first;
  return node === undefined ? { kind: 'unknown', mac } : { kind: 'node', ...node };
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
