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
  /** Undefined if the file is validated and synced later. */
  readonly check: ConfigurationCheck | undefined;
  readonly timeMs: number;
  /** Whether this process wrote the current file. Called just before the replacement, which may be minutes after the first read. */
  readonly isKnown: () => Promise<boolean>;
  /** Updated with the written bytes. */
  readonly hash: Hash;
  readonly onForeign?: (foreign: ForeignFile) => void;
}

/** Undefined if the live file now holds the staged bytes; otherwise nothing of the set remains. */
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
 * Syncs the set before the last good copies are made, which must not name files that a power cut would lose. After a power cut before that, the
 * older copies remain for the supervisor to start with if HAProxy refuses the file. A file truncated at a line end is served until the next call.
 * Returns a failure if another process removed a file meanwhile.
 */
export async function syncSet({ path }: LiveFile, staged: StagedSet): Promise<ApplyOutcome | undefined> {
  try {
    await staged.sync();
    await syncFile(path);
    await syncDirectory(dirname(path));
    return undefined;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const message = `Cannot keep configuration "${path}": another process removed one of its files (${messageOf(error)})`;
    return { kind: 'failed', message };
  }
}
