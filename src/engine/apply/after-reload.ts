import { rename } from 'node:fs/promises';
import { messageOf } from '../system/errors.ts';
import { writeFileAtomically } from '../system/file/atomic-write.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { type LiveFile, readIfThere } from './live-file.ts';
import type { MainFile } from './main-file.ts';
import type { StagedSet } from './set-folder.ts';

interface Replaced {
  readonly staged: Pick<StagedSet, 'parts'>;
  readonly sha256: string;
  readonly before: MainFile | undefined;
  readonly mode: number;
}

/** Updates the files after a reload: saves the last good copy, or restores the previous file. */
export async function afterReload(
  file: LiveFile,
  { staged, sha256, before, mode }: Replaced,
  outcome: ApplyOutcome,
): Promise<ApplyOutcome> {
  switch (outcome.kind) {
    case 'reloaded':
      // The reload counts even if the copy cannot be written: the older copy stays.
      if (outcome.isUnchecked !== true)
        await writeFileAtomically(file.lastGood, staged.parts(), { mode }).catch(() => undefined);
      return outcome;
    case 'rejected':
      return (await giveBack(file, sha256, before, mode, outcome)).outcome;
    case 'unchanged':
    case 'unreachable':
    case 'failed':
    case 'superseded':
      return outcome;
  }
}

type Rejection = Extract<ApplyOutcome, { kind: 'rejected' }>;

/**
 * Restores the file that preceded the refused one with this hash. If that is the same file (an earlier run wrote it without asking the
 * supervisor) or there was none, it writes the last good text. Without a last good copy the file stays: a missing file helps no client. `isBack`:
 * another file is in place now. If the write fails, the rejection includes the error.
 */
export async function giveBack(
  file: LiveFile,
  sha256: string,
  before: MainFile | undefined,
  mode: number,
  outcome: Rejection,
): Promise<{ readonly isBack: boolean; readonly outcome: Rejection }> {
  try {
    const previous = before?.sha256 === sha256 ? undefined : before?.bytes();
    const good = previous ?? (await readIfThere(file.lastGood));
    if (good !== undefined) await writeOrTakeCopy(file, good, mode);
    return { isBack: good !== undefined, outcome };
  } catch (error) {
    const lost = `the previous file could not be restored (${messageOf(error)})`;
    return { isBack: false, outcome: { ...outcome, detail: [outcome.detail, lost].join('\n').trim() } };
  }
}

/** If the disk is full, the last good copy is renamed into place. The next good configuration writes another copy. */
async function writeOrTakeCopy(file: LiveFile, good: Buffer, mode: number): Promise<void> {
  try {
    await writeFileAtomically(file.path, good, { mode });
  } catch (error) {
    if ((await readIfThere(file.lastGood))?.equals(good) !== true) throw error;
    await rename(file.lastGood, file.path);
  }
}
