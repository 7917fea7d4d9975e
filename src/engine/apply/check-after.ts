import { writeFileAtomically } from '../system/file/atomic-write.ts';
import { restore } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import type { ReloadOutcome, Supervisor } from './ask-supervisor.ts';
import type { CheckOutcome, ConfigurationCheck } from './configuration-check.ts';
import { sha256Of } from './file-set.ts';
import { isOwnFile } from './foreign-file.ts';
import { type LiveFile, readIfThere } from './live-file.ts';

/** A file that the program got before it was checked. */
export interface Pending {
  readonly supervisor: Supervisor;
  /** The hash of the file, until a check accepted it or a start read it. It counts only while that file lies there. */
  unchecked: string | undefined;
}

type Failed = Extract<ApplyOutcome, { kind: 'failed' }>;

export function refusedBy({ message, detail }: Extract<CheckOutcome, { kind: 'invalid' }>): ApplyOutcome {
  return { kind: 'rejected', by: 'check', message, detail };
}

/**
 * The hash of a file of ours that an earlier process may have put in place without a check. Undefined where it equals the last good copy:
 * only accepted files become that.
 */
export async function uncheckedIn(file: LiveFile): Promise<string | undefined> {
  const found = isOwnFile(file.path) ? await readIfThere(file.path) : undefined;
  if (found === undefined || (await readIfThere(file.lastGood))?.equals(found) === true) return undefined;
  return sha256Of(found);
}

/**
 * The program was told of a change, or started anew, and clients did not wait for a check. What was only told is checked now, since the next
 * start reads the file. So is what the supervisor refused: a start that failed says less than a check, and one program may refuse what
 * another one takes. Answers what became of the configuration with that.
 */
export async function checkAfter(
  { path }: LiveFile,
  brought: ReloadOutcome,
  sha256: string,
  check: ConfigurationCheck,
  pending: Pending,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  if (brought.kind === 'unreachable' || pending.unchecked !== sha256) return brought;
  const wasRead = brought.kind === 'reloaded' && brought.acknowledged && brought.atRunTime !== true;
  const found = wasRead ? undefined : await check(path, signal);
  if (found?.kind === 'invalid') return refusedBy(found);
  // A file that was not taken gives way to the one of before, which was good.
  if (found?.kind === 'impossible' && brought.kind === 'reloaded')
    return { kind: 'failed', message: found.message };
  pending.unchecked = undefined;
  if (!wasRead && brought.kind === 'reloaded') await pending.supervisor.keep(sha256, signal);
  return brought;
}

/**
 * Checks what an earlier call, or a process that was killed, left unchecked. A file that is refused gives way to the last good one, which is
 * loaded. Answers a failure where the check could not be made: nothing else is to be put in place before it.
 */
export async function checkLeft(
  file: LiveFile,
  mode: number,
  check: ConfigurationCheck,
  pending: Pending,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  if (pending.unchecked === undefined) return undefined;
  const text = await readIfThere(file.path);
  const sha256 = text === undefined ? undefined : sha256Of(text);
  if (text === undefined || sha256 !== pending.unchecked) {
    pending.unchecked = undefined;
    return undefined;
  }
  const found = await check(file.path, signal);
  if (found.kind === 'impossible') return { kind: 'failed', message: found.message };
  if (found.kind === 'invalid') {
    await restore(file, sha256, undefined, mode);
    await pending.supervisor.reload(signal);
    return undefined;
  }
  pending.unchecked = undefined;
  if ((await pending.supervisor.servedSha256(signal)) !== sha256) return undefined;
  await writeFileAtomically(file.lastGood, text, { mode }).catch(() => undefined);
  await pending.supervisor.keep(sha256, signal);
  return undefined;
}
