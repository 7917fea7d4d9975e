import { link, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, writeFileAtomically } from '../system/file/atomic-write.ts';
import type { CheckOutcome, ConfigurationCheck } from './check.ts';
import { type ForeignFile, isOwnFile, keepForeignFile } from './foreign-file.ts';
import { bytesOnDisk, filesFolder, revisionIn, withNamesOnDisk } from './layout.ts';
import { findLiveFile, keepModes, type LiveFile, readIfThere, removeLeftovers } from './live-file.ts';
import { mustBeSet, type Rendered, type Revision, revisionOf } from './set.ts';
import { createSetFiles, stampOf, statsOf } from './set-files.ts';

/** The main file on disk. `revision` is undefined if the file is missing. */
export interface OnDisk {
  readonly revision: Revision | undefined;
  /** Whether hawser rendered the file. */
  readonly isOwn: boolean;
}

/**
 * The main file and the files it names, in a folder next to it. On disk a file's name has a digest of its content, so that sets can share files.
 * Files are written under a temporary name and renamed, so they are always complete. Every function throws the system's error.
 */
export interface Store {
  readonly onDisk: () => Promise<OnDisk>;
  /** Revision of the last good copy. */
  readonly good: () => Promise<Revision | undefined>;
  /** Replaces the file names in a text of a set by the names on disk. */
  readonly named: (text: string, set: Rendered) => Promise<string>;
  /** Writes the missing files of a set, but not the main file. */
  readonly putFiles: (set: Rendered) => Promise<void>;
  /**
   * Writes a set, the main file last. With `check`, everything is synced to disk and validated first; if the file is not valid, nothing of the set
   * remains.
   */
  readonly put: (
    set: Rendered,
    check: ConfigurationCheck | undefined,
    signal: AbortSignal,
  ) => Promise<CheckOutcome>;
  /** Sets the permissions of the main file and the good copy. */
  readonly keepModes: (mode: number) => Promise<void>;
  /** Validates the main file in place, through a second link, because the file may be replaced meanwhile. */
  readonly checkInPlace: (check: ConfigurationCheck, signal: AbortSignal) => Promise<CheckOutcome>;
  /** Syncs the files that `put` wrote without syncing. */
  readonly sync: () => Promise<void>;
  /** Makes this set the last good one. If the copy cannot be written, the older copy stays. */
  readonly keepAsGood: (set: Rendered) => Promise<void>;
  /** Restores the last good copy as the main file, by a rename if the disk is full. Returns its revision, or undefined if there is no copy. */
  readonly restoreGood: () => Promise<Revision | undefined>;
  /** Reads each file of the set that changed since it was written, and rewrites the damaged ones. Returns whether any file was rewritten. */
  readonly repair: (set: Rendered) => Promise<boolean>;
}

interface StoreOptions {
  readonly configPath: string;
  /** Called when a file that hawser did not write was saved under another name and replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

export function createStore({ configPath, onForeign }: StoreOptions): Store {
  /** The main file as last read or written, identified by its stat fields. */
  let cached: { readonly stamp: string; readonly onDisk: OnDisk } | undefined;
  const files = createSetFiles();
  let isCleaned = false;
  /** Two checks may run at the same time. */
  let checks = 0;
  const locate = async (): Promise<LiveFile> => {
    const file = await findLiveFile(configPath);
    if (!isCleaned) await removeLeftovers(file, Date.now());
    isCleaned = true;
    return file;
  };
  const onDisk = async (): Promise<OnDisk> => {
    const { path } = await locate();
    const stamp = stampOf(await statsOf(path));
    if (stamp !== undefined && cached?.stamp === stamp) return cached.onDisk;
    const bytes = await readIfThere(path);
    const current = { revision: bytes && revisionIn(bytes).revision, isOwn: isOwnFile(path) };
    cached = stamp === undefined ? undefined : { stamp, onDisk: current };
    return current;
  };
  const placeMain = async (
    file: LiveFile,
    set: Rendered,
    check: ConfigurationCheck | undefined,
    signal: AbortSignal,
  ): Promise<CheckOutcome> => {
    const folder = filesFolder(file.path);
    const timeMs = Date.now() - BACKDATE_MS;
    await writeFileAtomically(file.candidate, bytesOnDisk(set, folder), {
      mode: set.mode,
      isSynced: check !== undefined,
      timeMs,
    });
    try {
      const runCheck = async (): Promise<CheckOutcome> =>
        (await check?.(file.candidate, signal)) ?? { kind: 'valid' };
      const first = await runCheck();
      // The configuration is not to blame for a file that was edited or removed by hand.
      const isRepaired = first.kind === 'invalid' && (await files.fill(folder, set, 'thorough')).length > 0;
      const outcome = isRepaired ? await runCheck() : first;
      if (outcome.kind !== 'valid') return outcome;
      const isUnchanged = cached?.onDisk.isOwn === true && cached.stamp === stampOf(await statsOf(file.path));
      const foreign = isUnchanged ? undefined : await keepForeignFile(file);
      await rename(file.candidate, file.path);
      if (foreign !== undefined) onForeign?.(foreign);
      const stats = await statsOf(file.path);
      const stamp = stampOf(stats);
      // Another process may have replaced the file already.
      const isOurs = stats !== undefined && Math.abs(Number(stats.mtimeNs) / 1e6 - timeMs) < 1;
      cached =
        isOurs && stamp !== undefined
          ? { stamp, onDisk: { revision: revisionOf(set), isOwn: true } }
          : undefined;
      return outcome;
    } finally {
      await rm(file.candidate, { force: true }).catch(() => undefined);
    }
  };
  return {
    onDisk,
    good: async () => {
      const bytes = await readIfThere((await locate()).lastGood);
      return bytes && revisionIn(bytes).revision;
    },
    named: async (text, set) => withNamesOnDisk(text, set, filesFolder((await locate()).path)),
    putFiles: async (set) => {
      mustBeSet(set);
      await files.fill(filesFolder((await locate()).path), set);
    },
    put: async (set, check, signal) => {
      mustBeSet(set);
      const file = await locate();
      const folder = filesFolder(file.path);
      const written = await files.fill(folder, set);
      try {
        if (check !== undefined) await files.sync();
        const outcome = await placeMain(file, set, check, signal);
        if (outcome.kind !== 'valid') await files.remove(folder, written);
        else if (check !== undefined) await syncDirectory(dirname(file.path));
        else files.syncLater(file.path);
        if (outcome.kind === 'valid') files.use(set);
        return outcome;
      } catch (error) {
        await files.remove(folder, written);
        throw error;
      }
    },
    keepModes: async (desired) => await keepModes(await locate(), desired),
    checkInPlace: async (check, signal) => {
      const file = await locate();
      checks += 1;
      const checked = `${file.checked}.${checks}`;
      await rm(checked, { force: true });
      // Linking another user's file may be forbidden.
      const path = await link(file.path, checked).then(
        () => checked,
        () => file.path,
      );
      try {
        return await check(path, signal);
      } finally {
        await rm(checked, { force: true }).catch(() => undefined);
      }
    },
    sync: files.sync,
    keepAsGood: async (set) => {
      const file = await locate();
      const folder = filesFolder(file.path);
      try {
        // Another set may have replaced it since.
        await files.fill(folder, set);
        await files.sync();
        await writeFileAtomically(file.lastGood, bytesOnDisk(set, folder), { mode: set.mode });
        await files.removeOld(folder, set);
      } catch {
        // The older copy stays.
      }
    },
    restoreGood: async () => {
      const file = await locate();
      const good = await readIfThere(file.lastGood);
      if (good === undefined) return undefined;
      const stats = await stat(file.lastGood);
      await writeFileAtomically(file.path, good, { mode: stats.mode & 0o777 }).catch(() =>
        rename(file.lastGood, file.path),
      );
      return revisionIn(good).revision;
    },
    repair: async (set) => (await files.fill(filesFolder((await locate()).path), set, 'thorough')).length > 0,
  };
}

/** Backdates the mtime of written files, so that an edit within the same kernel clock tick changes it. */
const BACKDATE_MS = 1_000;
