import type { Socket } from 'node:net';

export interface GateLimits {
  readonly connections: number;
  /** Of one address: one node that has gone mad does not keep the others out. */
  readonly perAddress: number;
  /** From its first packet to its last: a slow client and a silent one cost a place for so long. */
  readonly connectionMs: number;
}

/** Closes a connection before anything is read from it, where there is no place for it, or when its time is over. */
export function createConnectionGate(limits: GateLimits): (socket: Socket) => void {
  const open = new Map<Socket, string>();
  const countOf = (address: string): number => [...open.values()].filter((each) => each === address).length;
  return (socket) => {
    const address = socket.remoteAddress ?? '';
    socket.on('error', () => socket.destroy());
    if (open.size >= limits.connections || countOf(address) >= limits.perAddress) {
      socket.destroy();
      return;
    }
    open.set(socket, address);
    const deadline = setTimeout(() => socket.destroy(), limits.connectionMs);
    socket.once('close', () => {
      clearTimeout(deadline);
      open.delete(socket);
    });
  };
}
