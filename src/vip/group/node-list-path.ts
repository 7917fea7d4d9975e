import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';

/** Where the nodes that share a VIP of one kind and family are saved for a cold start. */
export function nodeListPath(lastKnownPath: string, kind: VipKind, family: AddressFamily): string {
  return `${lastKnownPath}.${kind}.${family}`;
}
