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
      // The original daemon says nothing, so nothing is known to be good. That the copy could not be written does not
      // make the reload undone: the older copy stays.
      if (outcome.acknowledged && outcome.isUnchecked !== true)
        await writeFileAtomically(file.lastGood, staged.parts(), { mode }).catch(() => undefined);
      return outcome;
    case 'rejected':
      try {
        await restore(file, sha256, before, mode);
        return outcome;
      } catch (error) {
        const lost = `the file of before could not be put back (${messageOf(error)})`;
        return { ...outcome, detail: [outcome.detail, lost].join('\n').trim() };
      }
    case 'unchanged':
    case 'unreachable':
    case 'failed':
    case 'superseded':
      return outcome;
  }
}

/**
 * Restores what lay there before the file with this hash. If that was this file itself (an earlier run wrote it without asking the
 * supervisor) or nothing, it writes the last acknowledged text. Without one the file stays as it is, since a missing
 * file would help no client. Whether another one lies there now.
 */
export async function restore(
  file: LiveFile,
  sha256: string,
  before: MainFile | undefined,
  mode: number,
): Promise<boolean> {
  const previous = before?.sha256 === sha256 ? undefined : before?.bytes();
  const good = previous ?? (await readIfThere(file.lastGood));
  if (good === undefined) return false;
  await writeFileAtomically(file.path, good, { mode });
  return true;
}
