import { createServer } from 'node:net';
import { codeOf } from '../errors.ts';

/**
 * Resolves with whether this process holds the name from now on, and no other one does. An abstract socket is held until the
 * process ends, however it does: no file is left that would have to be doubted, and pids, which mean nothing to another
 * container, are not looked at. It counts within one network namespace: the node's. Rejects where there are no such sockets.
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
