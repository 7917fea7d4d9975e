import type { BigIntStats } from 'node:fs';
import { lstat, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { syncDirectory, syncFile, writeFileAtomically } from '../system/file/atomic-write.ts';
import { oncePer } from '../system/once-per.ts';
import { folderMode, makeFolders, removeUnnamed, type Unnamed } from './files-folder.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { layoutOf, type PlacedFile } from './layout.ts';
import { readIfThere } from './live-file.ts';
import { modeOf, othersOf, type Rendered } from './set.ts';

/** The files next to a main file, in their folder. Every function throws the system's error. */
interface SetFiles {
  /**
   * Writes the missing files of a set and returns their names. Trusts files that this process wrote or read; with `thorough`, those edited since are
   * written again. After an error, nothing that this call wrote remains.
   */
  readonly fill: (folder: string, set: Rendered, how?: 'thorough') => Promise<readonly string[]>;
  /** Never fails. */
  readonly remove: (folder: string, names: readonly string[]) => Promise<void>;
  /** Adds another file to those that `sync` syncs. */
  readonly syncLater: (path: string) => void;
  readonly sync: () => Promise<void>;
  /** Records that this set is in place. Its files and those of the previous set are kept. */
  readonly use: (set: Rendered) => void;
  /** Removes files that no set has named for an hour, or for a minute if they exceed 64 MiB. `good` is the last good set. */
  readonly removeOld: (folder: string, good: Rendered) => Promise<void>;
}

export function createSetFiles(): SetFiles {
  /** Stat fields of the files that this process wrote or read, keyed by name. */
  const stamps = new Map<string, string>();
  const unsynced = new Set<string>();
  const unnamed: Unnamed = { since: new Map(), nextScanMs: 0, writtenBytes: 0 };
  let inUse: readonly Rendered[] = [];
  /** The set that was filled last. */
  let filled: Rendered | undefined;
  /** Mode of the files that are not secret. */
  let mode: number | undefined;
  const writeOne = async (folder: string, placed: PlacedFile, fileMode: number): Promise<void> => {
    const path = join(folder, placed.name);
    const write = () => writeFileAtomically(path, placed.content, { mode: fileMode, isSynced: false });
    await write().catch(async (error: unknown) => {
      if (codeOf(error) !== 'EISDIR' && codeOf(error) !== 'ENOTEMPTY') throw error;
      await rm(path, { recursive: true });
      await write();
    });
    stamps.set(placed.name, stampOf(await statsOf(path)) ?? '');
    unnamed.writtenBytes += Buffer.byteLength(placed.content);
    unsynced.add(path).add(dirname(path)).add(folder).add(dirname(folder));
  };
  /** Whether a file is unchanged since it was written. A file of another process is read once. */
  const isWhole = async (
    folder: string,
    { name, content }: PlacedFile,
    fileMode: number,
  ): Promise<boolean> => {
    const path = join(folder, name);
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    if (stats?.isFile() !== true || Number(stats.mode & 0o777n) !== fileMode) return false;
    const stamp = stampOf(stats) ?? '';
    if (stamps.get(name) === stamp) return true;
    if ((await readIfThere(path))?.equals(Buffer.from(content)) !== true) return false;
    stamps.set(name, stamp);
    return true;
  };
  const remove: SetFiles['remove'] = async (folder, names) => {
    for (const name of names) {
      stamps.delete(name);
      unsynced.delete(join(folder, name));
      await rm(join(folder, name), { force: true }).catch(() => undefined);
    }
  };
  return {
    remove,
    fill: async (folder, set, how) => {
      if (othersOf(set).length === 0) return [];
      filled = set;
      const layout = [...layoutOf(set).values()];
      await makeFolders(folder, layout, folderMode(set.mode));
      const isTrusted = ({ name, file }: PlacedFile): boolean =>
        how === undefined && stamps.has(name) && (file.secret === true || mode === set.mode);
      const written: string[] = [];
      try {
        await forEachAtOnce(
          layout.filter((placed) => !isTrusted(placed)),
          async (placed) => {
            const fileMode = modeOf(placed.file, set.mode);
            if (await isWhole(folder, placed, fileMode)) return;
            written.push(placed.name);
            await writeOne(folder, placed, fileMode);
          },
        );
      } catch (error) {
        await remove(folder, written);
        throw error;
      }
      mode = set.mode;
      return written;
    },
    syncLater: (path) => void unsynced.add(path).add(dirname(path)),
    sync: async () => {
      const paths = [...unsynced];
      await forEachAtOnce(paths, (path) => syncAny(path));
      for (const path of paths) unsynced.delete(path);
    },
    use: (set) => {
      inUse = [...inUse.slice(-1), set];
    },
    removeOld: async (folder, good) => {
      const named = new Set([good, ...inUse].flatMap((set) => [...namesOf(set)]));
      const use = {
        isNamed: (name: string) => named.has(name) || (filled !== undefined && namesOf(filled).has(name)),
        forget: (name: string) => void stamps.delete(name),
      };
      await removeUnnamed(folder, use, unnamed, Date.now());
      inUse = inUse.slice(-1);
    },
  };
}

const namesOf = oncePer(
  (set: Rendered): ReadonlySet<string> => new Set([...layoutOf(set).values()].map(({ name }) => name)),
);

/** Syncs a file or a folder; a missing one is ignored. */
async function syncAny(path: string): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) await syncDirectory(path);
    else await syncFile(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

export async function statsOf(path: string): Promise<BigIntStats | undefined> {
  return await stat(path, { bigint: true }).catch(() => undefined);
}

export function stampOf(found: BigIntStats | undefined): string | undefined {
  return found && `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}
