import { readFile, writeFile } from 'node:fs/promises';
import { messageOf } from '../errors.ts';
import { readRegularFile } from './read-regular-file.ts';

const MAX_COPY_BYTES = 1024 * 1024;

type CopyOutcome =
  | { readonly kind: 'same' }
  | { readonly kind: 'copied' }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Gives `to` the bytes of `from`. Written in place: in a container, `/etc/resolv.conf` is a mount of its own, and a
 * mount cannot be renamed over. An empty source is no copy (it is being written).
 */
export async function copyFile(from: string, to: string): Promise<CopyOutcome> {
  try {
    const bytes = (await readRegularFile(from, { MAX_COPY_BYTES })).bytes;
    const before = await readFile(to).catch(() => undefined);
    if (bytes.length === 0 || before?.equals(bytes) === true) return { kind: 'same' };
    await writeFile(to, bytes);
    return { kind: 'copied' };
  } catch (error) {
    const message = `Cannot copy "${from}" to "${to}": ${messageOf(error)}, expected a readable and a writable file`;
    return { kind: 'failed', message };
  }
}
