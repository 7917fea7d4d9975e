import { createSocket } from 'node:dgram';

/** VRRP's multicast groups (RFC 5798). */
export const vrrpGroups = { ipv4: '224.0.0.18', ipv6: 'ff02::12' } as const;

interface MulticastOn {
  readonly family: 'ipv4' | 'ipv6';
  readonly interface: string;
  /** This machine's address on the interface. */
  readonly sourceAddress: string;
}

/**
 * Makes the NIC, and a switch with IGMP or MLD snooping, pass VRRP's group until disposed. The socket is bound to loopback and receives nothing. If
 * joining fails, only packets that arrive anyway are visible.
 */
export function joinVrrpGroup({ family, interface: name, sourceAddress }: MulticastOn): Disposable {
  const socket = createSocket(family === 'ipv4' ? 'udp4' : 'udp6');
  socket.on('error', () => undefined);
  socket.bind({ address: family === 'ipv4' ? '127.0.0.1' : '::1', port: 0 }, () => {
    try {
      socket.addMembership(vrrpGroups[family], family === 'ipv4' ? sourceAddress : `::%${name}`);
    } catch {
      // The address is gone.
    }
  });
  return { [Symbol.dispose]: () => socket.close() };
}
