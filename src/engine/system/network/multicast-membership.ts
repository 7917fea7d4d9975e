import { createSocket } from 'node:dgram';

/** Where VRRP routers speak to each other (RFC 5798). */
/** The multicast groups of VRRP. */
export const vrrpGroups = { ipv4: '224.0.0.18', ipv6: 'ff02::12' } as const;

interface MulticastOn {
  readonly family: 'ipv4' | 'ipv6';
  readonly interface: string;
  /** This machine's own on it. */
  readonly sourceAddress: string;
}

/**
 * Makes the network card, and a switch that looks at IGMP or MLD, let VRRP's group through until it is disposed of.
 * The socket itself listens on loopback and hears nothing. Where it fails, what comes in without it is all there is.
 */
export function joinVrrpGroup({ family, interface: name, sourceAddress }: MulticastOn): Disposable {
  const socket = createSocket(family === 'ipv4' ? 'udp4' : 'udp6');
  socket.on('error', () => undefined);
  socket.bind({ address: family === 'ipv4' ? '127.0.0.1' : '::1', port: 0 }, () => {
    try {
      socket.addMembership(vrrpGroups[family], family === 'ipv4' ? sourceAddress : `::%${name}`);
    } catch {
      // The address has gone meanwhile.
    }
  });
  return { [Symbol.dispose]: () => socket.close() };
}
