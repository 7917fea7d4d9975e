import { constants } from 'node:fs';
import { access, lstat, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../engine/system/errors.ts';
import { layout } from './layout.ts';
import type { WantedFile } from './plan.ts';

/** Where it lies below the folder of hawser itself. */
export const COMMAND_SOURCE = 'bin/hawser-on-node';

/** The second line of every version of it. */
const MARK = '# hawser on a node:';

export type NodeCommand =
  | { readonly kind: 'wanted'; readonly file: WantedFile }
  /** Something else has the name, or nothing can be written there. */
  | { readonly kind: 'left-out'; readonly notice: string };

export function commandFile(content: string): WantedFile {
  return { path: layout.nodeCommand, content, mode: 0o755 };
}

/**
 * The `hawser` that people type on a node. The pods do not need it: where it cannot be written it is left out, and what
 * is not ours is never touched.
 */
export async function nodeCommand(root: string, content: string): Promise<NodeCommand> {
  const path = layout.nodeCommand;
  const leftOut = (reason: string): NodeCommand => ({
    kind: 'left-out',
    notice: `${path} is not written: ${reason}; the commands can be typed as docs/install.md shows`,
  });
  if (await isForeign(join(root, path))) return leftOut('it is there already, and is not of hawser install');
  const blocked = await blockedBy(root, dirname(path));
  return blocked === undefined
    ? { kind: 'wanted', file: commandFile(content) }
    : leftOut(`its folder cannot be written to (${blocked})`);
}

async function isForeign(path: string): Promise<boolean> {
  try {
    const status = await lstat(path);
    return !status.isFile() || !(await readFile(path, 'utf8')).includes(`\n${MARK}`);
  } catch (error) {
    return codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR';
  }
}

/** Folders that are missing are made; what counts is the nearest one that is there. */
async function blockedBy(root: string, folder: string): Promise<string | undefined> {
  try {
    await access(join(root, folder), constants.W_OK);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return codeOf(error) ?? 'unknown';
    return folder === '/' ? undefined : await blockedBy(root, dirname(folder));
  }
}
