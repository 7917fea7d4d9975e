import { randomBytes } from 'node:crypto';
import { link, lstat, rename, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { ConfigError, codeOf } from '../system/errors.ts';

/** The kernel's limit for a unix socket path (`sun_path`) without the closing NUL. */
export const MAX_SOCKET_PATH_BYTES = 107;

export type ClaimOutcome =
  | {
      readonly kind: 'claimed';
      /** Returns false if the file was removed or replaced, so that clients no longer reach this server. */
      readonly isInPlace: () => Promise<boolean>;
      readonly release: () => Promise<void>;
    }
  /** Another process answers on the socket, which is unchanged. */
  | { readonly kind: 'in-use' };

/**
 * Listens on `path` with mode 0600 (0660 for a user other than root), unless a live server is there. A stale socket file is replaced. The server
 * first listens on a temporary name and is then linked into place, which fails if another claim was faster. A stale file is renamed before it is
 * removed, and restored if it turns out to be alive. So of two supervisors that start together only one can win, and neither can unlink the other's
 * file. `release` closes the server, and removes the file only if it is still this server's. Rejects with a ConfigError if something other than a
 * socket is at the path (it is unchanged), and with the system's error if the directory is missing or not writable.
 */
export async function claimSocket(server: Server, path: string): Promise<ClaimOutcome> {
  const own = `${path}.${ownSuffix()}`;
  await listenPrivately(server, own);
  const inode = await inodeOf(own);
  let claimed = false;
  try {
    for (let attempt = 0; attempt < 3 && !claimed; attempt += 1) {
      if (await answers(path)) break;
      await removeStale(path);
      claimed = await linkInto(own, path);
    }
  } finally {
    await unlink(own).catch(() => undefined);
    if (!claimed) await closeServer(server);
  }
  if (!claimed) return { kind: 'in-use' };
  const isInPlace = async (): Promise<boolean> => (await inodeOf(path)) === inode;
  return { kind: 'claimed', isInPlace, release: releaser(server, path, inode) };
}

/** Whether this is a temporary name of a claim, for its own socket or a stale one. Such a file remains if the process is killed. */
export function isNameOfClaim(name: string): boolean {
  return /.\.(old\.)?[0-9a-f]{8}$/.test(name);
}

/** Random instead of the pid: pods that share the directory have separate pid namespaces. */
function ownSuffix(): string {
  return randomBytes(4).toString('hex');
}

/**
 * Root's socket is for root only. Another user's socket is also for its group: a monitor may be root without DAC_OVERRIDE, and in the supervisor's
 * group (docs/internals/decisions/0026).
 */
export function socketMode(user: number | undefined): number {
  return user === 0 ? 0o600 : 0o660;
}

/** The umask applies during the synchronous bind, so there is no moment at which others can connect. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(0o777 & ~socketMode(process.geteuid?.()));
    try {
      server.listen(path, () => {
        server.removeListener('error', reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: a process listens, but its backlog is full.
    socket.once('error', (error) => resolve(codeOf(error) === 'EAGAIN'));
  });
}

async function removeStale(path: string): Promise<void> {
  const aside = `${path}.old.${ownSuffix()}`;
  const stats = await lstat(path).catch(() => undefined);
  if (stats !== undefined && !stats.isSocket())
    throw new ConfigError([
      `Cannot listen on "${path}": it is not a socket, expected no file or a stale socket`,
    ]);
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  // Another supervisor may have put its live socket there between the check and the rename.
  if (await answers(aside)) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}

async function linkInto(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function releaser(server: Server, path: string, inode: number | undefined): () => Promise<void> {
  return async () => {
    if (inode !== undefined && (await inodeOf(path)) === inode) await unlink(path).catch(() => undefined);
    await closeServer(server);
  };
}

async function inodeOf(path: string): Promise<number | undefined> {
  return await lstat(path).then(
    (stat) => stat.ino,
    () => undefined,
  );
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
