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

/** Does to the files what the answer to a reload means for them. */
export async function afterReload(
  file: LiveFile,
  { staged, sha256, before, mode }: Replaced,
  outcome: ApplyOutcome,
): Promise<ApplyOutcome> {
  switch (outcome.kind) {
    case 'reloaded':
      // If the copy cannot be written, the reload still counts: the older copy stays.
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
 * Restores what lay there before the file with this hash, which was refused. If that was this file itself (an earlier run wrote it without asking the
 * supervisor) or nothing, it writes the last acknowledged text. Without one the file stays as it is, since a missing
 * file would help no client. `isBack`: another file lies there now. Where it could not be written, the rejection says why.
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
    const lost = `the file of before could not be put back (${messageOf(error)})`;
    return { isBack: false, outcome: { ...outcome, detail: [outcome.detail, lost].join('\n').trim() } };
  }
}

/** A full disk has no room for the file, but its last good copy is there already. The next good configuration brings another copy. */
async function writeOrTakeCopy(file: LiveFile, good: Buffer, mode: number): Promise<void> {
  try {
    await writeFileAtomically(file.path, good, { mode });
  } catch (error) {
    if ((await readIfThere(file.lastGood))?.equals(good) !== true) throw error;
    await rename(file.lastGood, file.path);
  }
}
