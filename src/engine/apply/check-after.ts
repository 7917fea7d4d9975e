import { writeFileAtomically } from '../system/file/atomic-write.ts';
import { giveBack } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import type { Supervisor } from './ask-supervisor.ts';
import type { CheckOutcome, ConfigurationCheck } from './configuration-check.ts';
import { type Rendered, sha256Of } from './file-set.ts';
import { isOwnFile } from './foreign-file.ts';
import { type LiveFile, readIfThere } from './live-file.ts';
import { type MainFile, type PlacedSet, placedOf, readMainFile } from './main-file.ts';
import { syncFolder } from './set-folder.ts';
import { folderNamedIn } from './set-path.ts';
import type { RuntimeSet } from './update-ahead.ts';
import { type VerifyingCheck, verifyingCheck } from './verifying-check.ts';

/** A file that may have been applied at runtime before validation. Valid only while that file is in place. */
interface Unchecked {
  readonly sha256: string;
  readonly mode: number;
  readonly parts: () => Iterable<Buffer>;
  /** What it was made from; undefined if another process wrote it. */
  readonly rendered: Rendered | undefined;
  /** Monotonic milliseconds since which no file in place was validated. `LONG_AGO`: validate before anything else. */
  readonly sinceMs: number;
  /** The last validated file, restored if this one is refused. Undefined: restore the last good copy. */
  readonly back: MainFile | undefined;
  readonly verifying: VerifyingCheck;
  /** Verify each file of the set on disk before validation. */
  readonly mustVerify: boolean;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;

/** What is known about the file in place and about what is served. */
export interface Pending {
  readonly supervisor: Supervisor;
  /** Hash of the main file in place, if it is known to be served. */
  served: string | undefined;
  inPlace: PlacedSet | undefined;
  unchecked: Unchecked | undefined;
  /** A set that was applied at runtime and whose main file is not in place. The supervisor may have moved on since. */
  runtimeSet: RuntimeSet | undefined;
}

/** Someone edited files of this set, so the verdict is about other content. Never returned if all files were verified first. */
export interface Damaged {
  readonly kind: 'damaged';
  /** The previous file of ours, if this set may already be in place. */
  readonly back: MainFile | undefined;
}

/** `interrupt` ends the validation only; `signal` also ends what follows from the verdict. */
export interface Stops {
  readonly signal: AbortSignal;
  readonly interrupt: AbortSignal;
}

/** Called before the restored file is loaded. */
type OnReload = (() => void) | undefined;

export function refusedBy({ message, detail }: Extract<CheckOutcome, { kind: 'invalid' }>) {
  return { kind: 'rejected', by: 'check', message, detail } as const;
}

/**
 * The file of ours that an earlier process may have put in place without validation. Undefined if it equals the last good copy: only accepted
 * files become that.
 */
export async function uncheckedIn(
  file: LiveFile,
  mode: number,
  check: ConfigurationCheck,
): Promise<Unchecked | undefined> {
  const found = isOwnFile(file.path) ? await readIfThere(file.path) : undefined;
  if (found === undefined || (await readIfThere(file.lastGood))?.equals(found) === true) return undefined;
  const folder = folderNamedIn(file, found);
  // A last good copy must not name files that a power cut would lose.
  if (folder !== undefined) await syncFolder(folder);
  return {
    ...{ sha256: sha256Of(found), mode, parts: () => [found], rendered: undefined, back: undefined },
    ...{ sinceMs: LONG_AGO, verifying: verifyingCheck(check, undefined), mustVerify: false },
  };
}

/**
 * Validates what was put in place without it: the next start reads it. A refused file is replaced by the last validated one, which is then loaded
 * because the running program already has this one. Returns `unchanged` if it is accepted and served, `failed` if validation could not run (the
 * file stays unchecked), undefined if the running state is unknown, nothing was unchecked, the file was replaced, or it was interrupted.
 */
export async function settle(
  file: LiveFile,
  pending: Pending,
  { signal, interrupt }: Stops,
  onReload: OnReload,
): Promise<ApplyOutcome | Damaged | undefined> {
  const { unchecked } = pending;
  if (unchecked === undefined) return undefined;
  const { sha256, mode, parts, back, verifying, mustVerify } = unchecked;
  const isThere = async () => (await readMainFile(file, pending.inPlace))?.sha256 === sha256;
  if (!(await isThere())) {
    pending.unchecked = undefined;
    return undefined;
  }
  if (mustVerify) await verifying.verify();
  const found = verifying.isDamaged()
    ? undefined
    : await checkUnless(interrupt, verifying.check, file.path, signal);
  if (verifying.isDamaged()) return { kind: 'damaged', back };
  // The file was edited during validation: the verdict may be about the edit. The next call writes ours again.
  if (found !== undefined && found.kind !== 'impossible' && !(await isThere())) {
    pending.unchecked = undefined;
    return undefined;
  }
  switch (found?.kind) {
    case undefined:
      return undefined;
    case 'impossible':
      pending.unchecked = { ...unchecked, sinceMs: LONG_AGO };
      return { kind: 'failed', message: found.message };
    case 'invalid': {
      const { isBack, outcome } = await giveBack(file, sha256, back, mode, refusedBy(found));
      if (isBack) pending.unchecked = undefined;
      pending.served = undefined;
      pending.inPlace = placedOf(back);
      // The runtime update stays in effect until another file is in place.
      if (!isBack) return outcome;
      onReload?.();
      return { ...outcome, back: await pending.supervisor.reload(signal) };
    }
    case 'valid':
      pending.unchecked = undefined;
      if (!(await isServed(sha256, pending, signal))) return undefined;
      // A failed copy is harmless: the older copy stays.
      await writeFileAtomically(file.lastGood, parts(), { mode }).catch(() => undefined);
      await pending.supervisor.keep(sha256, signal);
      return { kind: 'unchanged' };
  }
}

/** Applied at runtime, not validated yet; further runtime updates are allowed. */
export function awaitsValidation({ unchecked, served, inPlace }: Pending): boolean {
  if (unchecked === undefined || unchecked.sinceMs === LONG_AGO) return false;
  return served === unchecked.sha256 && inPlace?.sha256 === served;
}

/** Asks the supervisor's status if not known: one that started with this file needs no reload. */
export async function isServed(sha256: string, pending: Pending, signal: AbortSignal): Promise<boolean> {
  if (pending.served === sha256) return true;
  if ((await pending.supervisor.servedSha256(signal)) !== sha256) return false;
  pending.served = sha256;
  return true;
}

/** Undefined if interrupted. */
async function checkUnless(
  interrupt: AbortSignal,
  check: ConfigurationCheck,
  path: string,
  signal: AbortSignal,
): Promise<CheckOutcome | undefined> {
  if (interrupt.aborted) return undefined;
  try {
    return await check(path, AbortSignal.any([signal, interrupt]));
  } catch (error) {
    if (interrupt.aborted && !signal.aborted) return undefined;
    throw error;
  }
}
