import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasFiles, othersOf, type Rendered, type SetFile } from './file-set.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { LiveFile } from './live-file.ts';
import { folderMode, linkIfAllowed, makeFolders, makeIfMissing } from './make-folders.ts';
import { removeFolder } from './old-sets.ts';
import { spareOf } from './set-path.ts';

/**
 * A folder that has the files of the set in place already, for the next set: of five thousand certificates one differs then, and only that one
 * is written before clients get it. Nothing names the folder before it is taken, so it may be in any state: what it lacks is made when it is taken.
 */
export interface SpareSet {
  /** Begins to link the files of the set in `folder`, in the background. Never fails: without a spare set the next one is linked whole. */
  readonly fill: (file: LiveFile, folder: string, rendered: Rendered, signal: AbortSignal) => void;
  /**
   * Ends that, and moves what is there to `folder`, which is empty, if it was made for this mode. Answers the files that it has by their
   * names. Never rejects.
   */
  readonly take: (folder: string, mode: number) => Promise<ReadonlyMap<string, SetFile>>;
}

interface Spare {
  readonly path: string;
  /** The folder of the files that are linked. */
  readonly from: string;
  readonly rendered: Rendered;
  readonly files: Map<string, SetFile>;
  /** Nothing more is to be linked: it was taken, or another one takes its place. */
  isOver: boolean;
}

const nothing: ReadonlyMap<string, SetFile> = new Map();

export function createSpareSet(): SpareSet {
  let spare: Spare | undefined;
  let filling = Promise.resolve();
  return {
    fill: (file, folder, rendered, signal) => {
      // The same files in another folder: those of before were changed by hand, and so were the links to them.
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

/** Stops once it is over: the next change does not wait for thousands of links. Never rejects. */
async function fillSpare(spare: Spare, signal: AbortSignal): Promise<void> {
  const { path, from, rendered, files } = spare;
  const isOver = (): boolean => spare.isOver || signal.aborted;
  // Of an earlier set, or of a process that was killed.
  await removeFolder(path);
  try {
    await makeIfMissing(path, folderMode(rendered.mode));
    await makeFolders(path, rendered);
    await forEachAtOnce(othersOf(rendered), async (each) => {
      const isLinked = !isOver() && (await linkIfAllowed(join(from, each.name), join(path, each.name)));
      if (isLinked) files.set(each.name, each);
    });
  } catch {
    // What could not be made is made when it is needed, or fails there with its reason.
  }
}
