import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { type NamedLimit, overLimit } from '../limit.ts';

export interface RegularFile {
  readonly bytes: Buffer;
  /** Type and permissions. */
  readonly mode: number;
}

/**
 * What a regular file holds, links followed. A FIFO, a socket or a device is an error at once: opening or reading one can
 * block a thread for ever, and a process with a blocked thread does not even exit. Throws the system's error, or says what
 * is there instead, or which limit its size is over.
 */
export async function readRegularFile(path: string, limit: NamedLimit): Promise<RegularFile> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    mustBeRegular(path, found);
    const over = overLimit(found.size, 'bytes', limit);
    if (over !== undefined) throw Object.assign(new Error(`it has ${over}`), { code: 'EFBIG' });
    return { bytes: await file.readFile(), mode: found.mode };
  } finally {
    await file.close();
  }
}

/** Throws where a library that reads `path` in its own way could block. */
export async function checkRegularFile(path: string): Promise<void> {
  mustBeRegular(path, await stat(path));
}

function mustBeRegular(path: string, found: Stats): void {
  if (found.isDirectory())
    throw Object.assign(new Error(`EISDIR: "${path}" is a directory`), { code: 'EISDIR' });
  if (!found.isFile()) throw Object.assign(new Error(`"${path}" is no regular file`), { code: 'EINVAL' });
}
