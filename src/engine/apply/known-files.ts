import type { Stats } from 'node:fs';
import { type SetFile, sha256OfFile } from './file-set.ts';
import { readIfThere } from './live-file.ts';

/**
 * Files of a set that were read once. They are not read again until their stat changes: a set of thousands of certificates is compared at every
 * event.
 */
export interface KnownFiles {
  /** Whether the file at `path`, with stat `found`, has this content. Throws the system's error. */
  readonly holds: (path: string, found: Stats, file: SetFile) => Promise<boolean>;
  /** Forgets all files but these. */
  readonly keep: (files: readonly SetFile[]) => void;
}

interface Known {
  readonly stamp: string;
  readonly sha256: string;
}

/** A file that is written within one kernel clock tick after it was read may keep its mtime. */
const TICK_MS = 100;

export function createKnownFiles(read: typeof readIfThere = readIfThere): KnownFiles {
  const known = new Map<string, Known>();
  return {
    holds: async (path, found, file) => {
      const { name, content } = file;
      const [stamp, sha256] = [stampOf(found), sha256OfFile(file)];
      const before = known.get(name);
      if (before?.stamp === stamp) return before.sha256 === sha256;
      const isSame = (await read(path))?.equals(Buffer.from(content)) === true;
      if (isSame && Date.now() - found.mtimeMs > TICK_MS) known.set(name, { stamp, sha256 });
      return isSame;
    },
    keep: (files) => {
      if (known.size <= files.length) return;
      const names = new Set(files.map(({ name }) => name));
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    },
  };
}

/** Without the ctime: a file is linked into the next set and unlinked from an old one. */
function stampOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}
