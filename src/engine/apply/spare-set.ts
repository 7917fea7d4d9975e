import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasFiles, othersOf, type Rendered, type SetFile } from './file-set.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { LiveFile } from './live-file.ts';
import { folderMode, linkIfAllowed, makeFolders, makeIfMissing } from './make-folders.ts';
import { removeFolder } from './old-sets.ts';
import { spareOf } from './set-path.ts';

/**
 * A prepared folder with links to all files of the set in place. If one of five thousand certificates changes, only that one is written before
 * clients get it. Nothing names the folder before it is taken, so it may be incomplete: missing files are written when it is taken.
 */
export interface SpareSet {
  /** Starts to link the files of `folder` in the background. Never fails: without a spare set the next one is linked in full. */
  readonly fill: (file: LiveFile, folder: string, rendered: Rendered, signal: AbortSignal) => void;
  /**
   * Stops linking and renames the spare to `folder`, which is empty, if it was made for this mode. Resolves with its files by name. Never
   * rejects.
   */
  readonly take: (folder: string, mode: number) => Promise<ReadonlyMap<string, SetFile>>;
}

interface Spare {
  readonly path: string;
  /** The folder with the originals. */
  readonly from: string;
  readonly rendered: Rendered;
  readonly files: Map<string, SetFile>;
  /** Stop linking: it was taken or superseded. */
  isOver: boolean;
}

const nothing: ReadonlyMap<string, SetFile> = new Map();

export function createSpareSet(): SpareSet {
  let spare: Spare | undefined;
  let filling = Promise.resolve();
  return {
    fill: (file, folder, rendered, signal) => {
      // The same files in another folder mean that the old ones were edited by hand, and so were the links to them.
      if (spare?.from === folder && hasFiles(spare.rendered, rendered)) return;
      if (spare !== undefined) spare.isOver = true;
      const next: Spare = { path: spareOf(file), from: folder, rendered, files: new Map(), isOver: false };
      spare = next;
      filling = filling.then(() => fillSpare(next, signal));
    },
    take: async (folder, mode) => {
      const found = spare;
      spare = undefined;
      if (found === undefined) return nothing;
      found.isOver = true;
      await filling;
      if (found.rendered.mode !== mode) return nothing;
      return await rename(found.path, folder).then(
        () => found.files,
        () => nothing,
      );
    },
  };
}

/** Stops when `isOver`: the next change does not wait for thousands of links. Never rejects. */
async function fillSpare(spare: Spare, signal: AbortSignal): Promise<void> {
  const { path, from, rendered, files } = spare;
  const isOver = (): boolean => spare.isOver || signal.aborted;
  // Left by an earlier set or a killed process.
  await removeFolder(path);
  try {
    await makeIfMissing(path, folderMode(rendered.mode));
    await makeFolders(path, rendered);
    await forEachAtOnce(othersOf(rendered), async (each) => {
      const isLinked = !isOver() && (await linkIfAllowed(join(from, each.name), join(path, each.name)));
      if (isLinked) files.set(each.name, each);
    });
  } catch {
    // Whatever is missing is written on demand, and fails there with its reason.
  }
}
