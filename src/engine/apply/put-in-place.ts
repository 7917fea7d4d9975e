import type { Hash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../system/errors.ts';
import { syncDirectory, syncFile, writeFileAtomically } from '../system/file/atomic-write.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { refusedBy } from './check-after.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import { type ForeignFile, keepForeignFile } from './foreign-file.ts';
import { discard, type LiveFile } from './live-file.ts';
import { removeUnlessNamed } from './old-sets.ts';
import type { StagedSet } from './set-folder.ts';

interface Replacing {
  readonly mode: number;
  /** Left out where the file is checked, and synced to the disk, later. */
  readonly check: ConfigurationCheck | undefined;
  readonly timeMs: number;
  /** Whether this process put there what lies there, asked just before another file takes its place: that may be minutes after the first look. */
  readonly isKnown: () => Promise<boolean>;
  /** Gets the bytes that are written. */
  readonly hash: Hash;
  readonly onForeign?: (foreign: ForeignFile) => void;
}

/** Undefined where the live file now holds the staged bytes; else nothing of the set is left. */
export async function putInPlace(
  file: LiveFile,
  staged: StagedSet,
  options: Replacing,
  signal: AbortSignal,
): Promise<ApplyOutcome | undefined> {
  const { check, mode, timeMs, isKnown, hash } = options;
  let isReplaced = false;
  try {
    if (check !== undefined) await staged.sync();
    await writeFileAtomically(file.candidate, hashing(staged.parts(), hash), {
      mode,
      timeMs,
      isSynced: check !== undefined,
    });
    const found = await check?.(file.candidate, signal);
    if (found?.kind === 'impossible')
      return { kind: found.isUnreachable === true ? 'unreachable' : 'failed', message: found.message };
    if (found?.kind === 'invalid') return refusedBy(found);
    const foreign = (await isKnown()) ? undefined : await keepForeignFile(file);
    await rename(file.candidate, file.path);
    isReplaced = true;
    if (check !== undefined) await syncDirectory(dirname(file.path));
    if (foreign !== undefined) options.onForeign?.(foreign);
    return undefined;
  } finally {
    if (!isReplaced) await discard(file.candidate);
    if (!isReplaced && staged.folder !== undefined) await removeUnlessNamed(file, staged.folder);
  }
}

function* hashing(parts: Iterable<Buffer>, hash: Hash): Generator<Buffer, void> {
  for (const part of parts) {
    hash.update(part);
    yield part;
  }
}

/**
 * Before the last good copies are made, which are to name no file that a power cut takes. One before that leaves the older copies, with which the
 * supervisor starts where HAProxy refuses the file. A file that was cut at the end of a line is served until the next call. Answers with a failure
 * where something else has removed a file meanwhile.
 */
export async function syncSet({ path }: LiveFile, staged: StagedSet): Promise<ApplyOutcome | undefined> {
  try {
    await staged.sync();
    await syncFile(path);
    await syncDirectory(dirname(path));
    return undefined;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const message = `Cannot keep configuration "${path}": something else removed a file of it (${messageOf(error)})`;
    return { kind: 'failed', message };
  }
}
