import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { codeOf } from '../../system/errors.ts';

/**
 * Resolves with whether this process is now the only one that writes this program's journal there. An abstract socket
 * is held until the process ends, however it does: no file is left that would have to be doubted, and pids, which mean
 * nothing to another container, are not looked at. It counts within one network namespace: the node's.
 */
export async function claimJournal(directory: string, program: string): Promise<boolean> {
  const digest = createHash('sha256').update(`${directory}\0${program}`).digest('hex');
  const server = createServer((socket) => socket.destroy());
  return await new Promise((resolve, reject) => {
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(`\0hawser-journal-${digest}`, () => {
      server.unref();
      resolve(true);
    });
  });
}
