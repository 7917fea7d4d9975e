import { messageOf } from '../system/errors.ts';
import { writeFileAtomically } from '../system/file/atomic-write.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import { type LiveFile, readIfThere } from './live-file.ts';

/** Does to the files what the answer to a reload means for them. */
export async function afterReload(
  file: LiveFile,
  { text, before, mode }: { text: string; before: Buffer | undefined; mode: number },
  outcome: ApplyOutcome,
): Promise<ApplyOutcome> {
  switch (outcome.kind) {
    case 'reloaded':
      // The original daemon says nothing, so nothing is known to be good. That the copy could not be written does not
      // make the reload undone: the older copy stays.
      if (outcome.acknowledged)
        await writeFileAtomically(file.lastGood, text, { mode }).catch(() => undefined);
      return outcome;
    case 'rejected':
      try {
        await restore(file, text, before, mode);
        return outcome;
      } catch (error) {
        const lost = `the file of before could not be put back (${messageOf(error)})`;
        return { ...outcome, detail: [outcome.detail, lost].join('\n').trim() };
      }
    case 'unchanged':
    case 'unreachable':
    case 'failed':
      return outcome;
  }
}

/**
 * Restores the text from before `text`. If that was `text` itself (an earlier run wrote it without asking the
 * supervisor) or nothing, it writes the last acknowledged text. Without one the file stays as it is, since a missing
 * file would help no client.
 */
export async function restore(
  file: LiveFile,
  text: string,
  before: Buffer | undefined,
  mode: number,
): Promise<void> {
  const previous = before?.equals(Buffer.from(text)) === true ? undefined : before;
  const good = previous ?? (await readIfThere(file.lastGood));
  if (good !== undefined) await writeFileAtomically(file.path, good, { mode });
}
