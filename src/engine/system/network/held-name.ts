import { createServer } from 'node:net';
import { codeOf } from '../errors.ts';

/**
 * Resolves with whether this process now holds the name exclusively. An abstract socket is held until the process ends, in whatever way, so there is
 * no stale file, and no pid, which would mean nothing in another container. The name's scope is the network namespace: the node's. Rejects if the
 * system has no such sockets.
 */
export async function holdName(name: string): Promise<boolean> {
  const server = createServer((socket) => socket.destroy());
  return await new Promise((resolve, reject) => {
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(`\0${name}`, () => {
      server.unref();
      resolve(true);
    });
  });
}
