import { dirname } from 'node:path';
import { type Disk, fileOn } from './disk.ts';
import { layout, type WantedFile } from './layout.ts';

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
export function nodeCommand(disk: Disk, content: string): NodeCommand {
  const path = layout.nodeCommand;
  const leftOut = (reason: string): NodeCommand => ({
    kind: 'left-out',
    notice: `${path} is not written: ${reason}; the commands can be typed as docs/install.md shows`,
  });
  const isOurs = fileOn(disk, path)?.content.includes(`\n${MARK}`) ?? false;
  if (disk.at(path) !== undefined && !isOurs)
    return leftOut('it is there already, and is not of hawser install');
  const blocked = blockedBy(disk, dirname(path));
  return blocked === undefined
    ? { kind: 'wanted', file: commandFile(content) }
    : leftOut(`its folder cannot be written to (${blocked})`);
}

/** Folders that are missing are made; what counts is the nearest one that is there. */
function blockedBy(disk: Disk, folder: string): string | undefined {
  const entry = disk.at(folder);
  if (entry === undefined) return folder === '/' ? undefined : blockedBy(disk, dirname(folder));
  return entry.kind === 'folder' ? entry.blocked : 'ENOTDIR';
}
