import { connect, type Socket } from 'node:net';
import { waitFor } from './wait-for.ts';

export interface RawClient {
  readonly socket: Socket;
  /** The answers so far, in order. */
  readonly lines: () => readonly string[];
  readonly closed: () => boolean;
  /** Resolves with all lines once there are at least this many. */
  readonly waitForLines: (count: number) => Promise<readonly string[]>;
}

/** A client that keeps its connection open: the test decides what it sends and when it closes. */
export function connectRaw(path: string): Promise<RawClient> {
  return new Promise((resolve, reject) => {
    let received = '';
    let closed = false;
    const socket = connect({ path, allowHalfOpen: true });
    const lines = (): readonly string[] => received.split('\n').slice(0, -1);
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      received += text;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      closed = true;
    });
    const waitForLines = (count: number) =>
      waitFor(`${count} lines`, () => (lines().length >= count ? lines() : undefined));
    socket.once('connect', () => resolve({ socket, lines, closed: () => closed, waitForLines }));
  });
}
