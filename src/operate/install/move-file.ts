import { link, unlink } from 'node:fs/promises';

/**
 * Gives a file another name in its folder. A symbolic link stays one. Throws EEXIST where the name is taken: nothing is
 * overwritten, as rename(2) would.
 */
export async function moveFile(from: string, to: string): Promise<void> {
  await link(from, to);
  await unlink(from);
}
