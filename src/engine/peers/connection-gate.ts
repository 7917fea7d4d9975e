import type { Socket } from 'node:net';

export interface GateLimits {
  readonly connections: number;
  /** Of one address: one node that has gone mad does not keep the others out. */
  readonly perAddress: number;
  /** From its first packet to its last: a slow client and a silent one cost a place for so long. */
  readonly connectionMs: number;
}

export interface ConnectionGate {
  /** False where there is no place for it; then it is closed. Else it is closed when its time is over. */
  readonly admit: (socket: Socket) => boolean;
  readonly open: () => number;
  readonly closeAll: () => void;
}

/** Counts connections before anything is read from them. */
export function createConnectionGate(limits: GateLimits): ConnectionGate {
  const open = new Map<Socket, string>();
  const countOf = (address: string): number => [...open.values()].filter((each) => each === address).length;
  return {
    admit: (socket) => {
      const address = socket.remoteAddress ?? '';
      socket.on('error', () => socket.destroy());
      if (open.size >= limits.connections || countOf(address) >= limits.perAddress) {
        socket.destroy();
        return false;
      }
      open.set(socket, address);
      const deadline = setTimeout(() => socket.destroy(), limits.connectionMs);
      socket.once('close', () => {
        clearTimeout(deadline);
        open.delete(socket);
      });
      return true;
    },
    open: () => open.size,
    closeAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
