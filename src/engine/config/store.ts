import { link, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, writeFileAtomically } from '../system/file/atomic-write.ts';
import type { CheckOutcome, ConfigurationCheck } from './check.ts';
import { type ForeignFile, isOwnFile, keepForeignFile } from './foreign-file.ts';
import { bytesOnDisk, filesFolder, revisionIn, withNamesOnDisk } from './layout.ts';
import { findLiveFile, keepModes, type LiveFile, readIfThere, removeLeftovers } from './live-file.ts';
import { mustBeSet, type Rendered, type Revision, revisionOf } from './set.ts';
import { createSetFiles, stampOf, statsOf } from './set-files.ts';

/** The main file on disk. `revision` is undefined if it is missing. */
export interface OnDisk {
  readonly revision: Revision | undefined;
  /** hawser rendered it. */
  readonly isOwn: boolean;
}

/**
 * The main file and the files it names, in a folder next to it. A file's name there has a digest of its content, so sets share files, and
 * every file is whole: it was written aside and renamed. Every function throws the system's error.
 */
export interface Store {
  readonly onDisk: () => Promise<OnDisk>;
  /** The revision of the last good copy. */
  readonly good: () => Promise<Revision | undefined>;
  /** A text of a set with the names that its files have on disk. */
  readonly named: (text: string, set: Rendered) => Promise<string>;
  /** Writes the files of a set that are missing. The main file stays. */
  readonly putFiles: (set: Rendered) => Promise<void>;
  /**
   * Puts a set in place, and the main file last. With `check`, everything is synced to disk and the file validated before; if it is not valid,
   * nothing of the set remains.
   */
  readonly put: (
    set: Rendered,
    check: ConfigurationCheck | undefined,
    signal: AbortSignal,
  ) => Promise<CheckOutcome>;
  /** Gives main file and good copy these permissions. */
  readonly keepModes: (mode: number) => Promise<void>;
  /** Validates the main file that is in place, under another name: it may be replaced meanwhile. */
  readonly checkInPlace: (check: ConfigurationCheck, signal: AbortSignal) => Promise<CheckOutcome>;
  /** Syncs a set that was put in place without syncing. */
  readonly sync: () => Promise<void>;
  /** Makes this set the last good one. If the copy cannot be written, the older one stays. */
  readonly keepAsGood: (set: Rendered) => Promise<void>;
  /** Puts the last good copy in place, by a rename if the disk is full. Returns its revision; undefined without a copy. */
  readonly backToGood: () => Promise<Revision | undefined>;
  /** Reads each file of a set that changed since it was written, and rewrites those that differ. True if any did. */
  readonly repair: (set: Rendered) => Promise<boolean>;
}

interface StoreOptions {
  readonly configPath: string;
  /** A file that hawser did not write was saved under another name, and replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

export function createStore({ configPath, onForeign }: StoreOptions): Store {
  /** The main file when it was last read or written, by its stat fields. */
  let known: { readonly stamp: string; readonly onDisk: OnDisk } | undefined;
  const files = createSetFiles();
  let isCleaned = false;
  const find = async (): Promise<LiveFile> => {
    const file = await findLiveFile(configPath);
    if (!isCleaned) await removeLeftovers(file, Date.now());
    isCleaned = true;
    return file;
  };
  const onDisk = async (): Promise<OnDisk> => {
    const { path } = await find();
    const stamp = stampOf(await statsOf(path));
    if (stamp !== undefined && known?.stamp === stamp) return known.onDisk;
    const bytes = await readIfThere(path);
    const found = { revision: bytes && revisionIn(bytes).revision, isOwn: isOwnFile(path) };
    known = stamp === undefined ? undefined : { stamp, onDisk: found };
    return found;
  };
  const placeMain = async (
    file: LiveFile,
    set: Rendered,
    check: ConfigurationCheck | undefined,
    signal: AbortSignal,
  ): Promise<CheckOutcome> => {
    const folder = filesFolder(file.path);
    const timeMs = Date.now() - BACK_MS;
    await writeFileAtomically(file.candidate, bytesOnDisk(set, folder), {
      mode: set.mode,
      isSynced: check !== undefined,
      timeMs,
    });
    try {
      const ask = async (): Promise<CheckOutcome> =>
        (await check?.(file.candidate, signal)) ?? { kind: 'valid' };
      const first = await ask();
      // A file that was edited or removed by hand is no fault of the configuration.
      const isRepaired = first.kind === 'invalid' && (await files.fill(folder, set, 'thorough')).length > 0;
      const found = isRepaired ? await ask() : first;
      if (found.kind !== 'valid') return found;
      const isKnown = known?.onDisk.isOwn === true && known.stamp === stampOf(await statsOf(file.path));
      const foreign = isKnown ? undefined : await keepForeignFile(file);
      await rename(file.candidate, file.path);
      if (foreign !== undefined) onForeign?.(foreign);
      const stats = await statsOf(file.path);
      const stamp = stampOf(stats);
      // Another process may have replaced it already.
      const isOurs = stats !== undefined && Math.abs(Number(stats.mtimeNs) / 1e6 - timeMs) < 1;
      known =
        isOurs && stamp !== undefined
          ? { stamp, onDisk: { revision: revisionOf(set), isOwn: true } }
          : undefined;
      return found;
    } finally {
      await rm(file.candidate, { force: true }).catch(() => undefined);
    }
  };
  return {
    onDisk,
    good: async () => {
      const bytes = await readIfThere((await find()).lastGood);
      return bytes && revisionIn(bytes).revision;
    },
    named: async (text, set) => withNamesOnDisk(text, set, filesFolder((await find()).path)),
    putFiles: async (set) => {
      mustBeSet(set);
      await files.fill(filesFolder((await find()).path), set);
    },
    put: async (set, check, signal) => {
      mustBeSet(set);
      const file = await find();
      const folder = filesFolder(file.path);
      const written = await files.fill(folder, set);
      try {
        if (check !== undefined) await files.sync();
        const found = await placeMain(file, set, check, signal);
        if (found.kind !== 'valid') await files.remove(folder, written);
        else if (check !== undefined) await syncDirectory(dirname(file.path));
        else files.syncLater(file.path);
        if (found.kind === 'valid') files.use(set);
        return found;
      } catch (error) {
        await files.remove(folder, written);
        throw error;
      }
    },
    keepModes: async (wanted) => await keepModes(await find(), wanted),
    checkInPlace: async (check, signal) => {
      const file = await find();
      await rm(file.checked, { force: true });
      // Another user's file may not be linked.
      const path = await link(file.path, file.checked).then(
        () => file.checked,
        () => file.path,
      );
      try {
        return await check(path, signal);
      } finally {
        await rm(file.checked, { force: true }).catch(() => undefined);
      }
    },
    sync: files.sync,
    keepAsGood: async (set) => {
      const file = await find();
      const folder = filesFolder(file.path);
      try {
        await files.sync();
        await writeFileAtomically(file.lastGood, bytesOnDisk(set, folder), { mode: set.mode });
        await files.removeOld(folder, set);
      } catch {
        // The older copy stays.
      }
    },
    backToGood: async () => {
      const file = await find();
      const good = await readIfThere(file.lastGood);
      if (good === undefined) return undefined;
      const found = await stat(file.lastGood);
      await writeFileAtomically(file.path, good, { mode: found.mode & 0o777 }).catch(() =>
        rename(file.lastGood, file.path),
      );
      return revisionIn(good).revision;
    },
    repair: async (set) => (await files.fill(filesFolder((await find()).path), set, 'thorough')).length > 0,
  };
}

/** Backdates the mtime of written files, so that an edit within the same kernel clock tick changes it. */
const BACK_MS = 1_000;
