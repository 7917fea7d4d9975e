import { createSocket } from 'node:dgram';
import { setTimeout as pause } from 'node:timers/promises';
import { presentAddresses } from '../../system/interface-addresses.ts';
import { knownNeighbours, ownMacs } from '../../system/neighbours.ts';

/** Nobody listens there: what counts is that the kernel has to find out whose the address is. */
const DISCARD_PORT = 9;
const ANSWER_WITHIN_MS = 300;
const LOOK_EVERY_MS = 50;

/** Who has a VIP, as the segment tells: `unknown` where somebody answers for it who is none of these nodes. */
export type VipHolder =
  | { readonly kind: 'here' }
  | { readonly kind: 'node'; readonly name: string; readonly address: string }
  | { readonly kind: 'unknown'; readonly mac: string }
  | { readonly kind: 'nobody' };

/** Asks the segment for the VIP where it is not on an interface of this node. Never rejects. */
export async function findHolder(
  vip: string,
  nodes: readonly { readonly name: string; readonly address: string }[],
): Promise<VipHolder> {
  if (presentAddresses().has(vip)) return { kind: 'here' };
  const deadline = Date.now() + ANSWER_WITHIN_MS;
  await sendTo(vip);
  let found: VipHolder = { kind: 'nobody' };
  while (Date.now() < deadline) {
    found = await lookUp(vip, nodes);
    if (found.kind === 'node') return found;
    await pause(LOOK_EVERY_MS);
  }
  return found;
}

/** A MAC has the addresses of the node that it is in, where the kernel knows them: VRRP has spoken to each of them. */
async function lookUp(
  vip: string,
  nodes: readonly { readonly name: string; readonly address: string }[],
): Promise<VipHolder> {
  const own = ownMacs();
  for (const [mac, addresses] of await knownNeighbours()) {
    if (!addresses.includes(vip) || own.has(mac)) continue;
    const node = nodes.find(({ address }) => addresses.includes(address));
    return node === undefined ? { kind: 'unknown', mac } : { kind: 'node', ...node };
  }
  return { kind: 'nobody' };
}

async function sendTo(vip: string): Promise<void> {
  const socket = createSocket(vip.includes(':') ? 'udp6' : 'udp4');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.send('', DISCARD_PORT, vip, () => resolve());
  });
  socket.close();
}

export function holderText(holder: VipHolder): string {
  switch (holder.kind) {
    case 'here':
      return 'this node';
    case 'node':
      return `${holder.name} (${holder.address})`;
    case 'unknown':
      return `an unknown node (${holder.mac})`;
    case 'nobody':
      return 'nobody that answers';
  }
}
