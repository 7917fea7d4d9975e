import { writeFileAtomically } from '../system/file/atomic-write.ts';
import { giveBack } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import type { Supervisor } from './ask-supervisor.ts';
import type { CheckOutcome, ConfigurationCheck } from './configuration-check.ts';
import { type Rendered, sha256Of } from './file-set.ts';
import { isOwnFile } from './foreign-file.ts';
import { type LiveFile, readIfThere } from './live-file.ts';
import { type LookAfter, lookAfter } from './look-after.ts';
import { type MainFile, type PlacedSet, placedOf, readMainFile } from './main-file.ts';
import { syncFolder } from './set-folder.ts';
import { folderNamedIn } from './set-path.ts';
import type { ToldSet } from './tell-first.ts';

/** A file that the program may have got before it was checked. It counts only while that file lies there. */
interface Unchecked {
  readonly sha256: string;
  readonly mode: number;
  readonly parts: () => Iterable<Buffer>;
  /** Of what it was made, where this process put it there. */
  readonly rendered: Rendered | undefined;
  /** Since when no file that lay there was checked: monotonic milliseconds. `LONG_AGO`: nothing may be done before it is. */
  readonly sinceMs: number;
  /** The last file that was checked, which comes back where this one is refused. Undefined: the last good copy does. */
  readonly back: MainFile | undefined;
  readonly looks: LookAfter;
  /** Each file of its set is looked at first. */
  readonly mustLook: boolean;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;

/** What is known of the file in place, and of who serves it. */
export interface Pending {
  readonly supervisor: Supervisor;
  /** Hash of the main file that is in place and known to be served. */
  served: string | undefined;
  /** The set that was put in place last. */
  inPlace: PlacedSet | undefined;
  unchecked: Unchecked | undefined;
  /** What runs, where it was told of a set whose main file does not lie there. The supervisor may know better by now. */
  told: ToldSet | undefined;
}

/** Files of the set were changed by hand, and it showed only now: what was said of the set was said of others. Never where no file is trusted. */
export interface Damaged {
  readonly kind: 'damaged';
  /** What of ours lay there before, if this set may lie there now. */
  readonly back: MainFile | undefined;
}

/** A check ends with `interrupt`; what follows from its verdict only with `signal`. */
export interface Stops {
  readonly signal: AbortSignal;
  readonly interrupt: AbortSignal;
}

/** The file of before is back, and is about to be loaded. */
type OnReload = (() => void) | undefined;

export function refusedBy({ message, detail }: Extract<CheckOutcome, { kind: 'invalid' }>) {
  return { kind: 'rejected', by: 'check', message, detail } as const;
}

/**
 * The file of ours that an earlier process may have put in place without a check. Undefined where it equals the last good copy: only
 * accepted files become that.
 */
export async function uncheckedIn(
  file: LiveFile,
  mode: number,
  check: ConfigurationCheck,
): Promise<Unchecked | undefined> {
  const found = isOwnFile(file.path) ? await readIfThere(file.path) : undefined;
  if (found === undefined || (await readIfThere(file.lastGood))?.equals(found) === true) return undefined;
  const folder = folderNamedIn(file, found);
  // A last good copy is to name no file that a power cut would take.
  if (folder !== undefined) await syncFolder(folder);
  return {
    ...{ sha256: sha256Of(found), mode, parts: () => [found], rendered: undefined, back: undefined },
    ...{ sinceMs: LONG_AGO, looks: lookAfter(check, undefined), mustLook: false },
  };
}

/**
 * Checks what was put in place without a check: the next start reads it. A file that is refused gives way to the last one that was checked, which
 * is loaded, since the program was told of this one and perhaps of others before it. Answers `unchanged` where it is accepted and served, and
 * `failed` where the check could not be made: the file stays unchecked then. Undefined where nothing is known of the program, nothing was left to be
 * checked, another file lies there, or it was interrupted.
 */
export async function settle(
  file: LiveFile,
  pending: Pending,
  { signal, interrupt }: Stops,
  onReload: OnReload,
): Promise<ApplyOutcome | Damaged | undefined> {
  const { unchecked } = pending;
  if (unchecked === undefined) return undefined;
  const { sha256, mode, parts, back, looks, mustLook } = unchecked;
  const isThere = async () => (await readMainFile(file, pending.inPlace))?.sha256 === sha256;
  if (!(await isThere())) {
    pending.unchecked = undefined;
    return undefined;
  }
  if (mustLook) await looks.look();
  const found = looks.isDamaged() ? undefined : await checkUnless(interrupt, looks.check, file.path, signal);
  if (looks.isDamaged()) return { kind: 'damaged', back };
  // An edit by hand while the check read it: the verdict may be on that, and the next call puts a file of ours in its place.
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
      // What it was told of goes on to run until another file lies there.
      if (!isBack) return outcome;
      onReload?.();
      return { ...outcome, back: await pending.supervisor.reload(signal) };
    }
    case 'valid':
      pending.unchecked = undefined;
      if (!(await isServed(sha256, pending, signal))) return undefined;
      // That the copy could not be written harms nobody: the older copy stays.
      await writeFileAtomically(file.lastGood, parts(), { mode }).catch(() => undefined);
      await pending.supervisor.keep(sha256, signal);
      return { kind: 'unchanged' };
  }
}

/** HAProxy has a file that is to be checked, and nothing speaks against telling it of others meanwhile. */
export function isToldAhead({ unchecked, served, inPlace }: Pending): boolean {
  if (unchecked === undefined || unchecked.sinceMs === LONG_AGO) return false;
  return served === unchecked.sha256 && inPlace?.sha256 === served;
}

/** A supervisor that started with this file needs no reload, so its status is asked first. */
export async function isServed(sha256: string, pending: Pending, signal: AbortSignal): Promise<boolean> {
  if (pending.served === sha256) return true;
  if ((await pending.supervisor.servedSha256(signal)) !== sha256) return false;
  pending.served = sha256;
  return true;
}

/** Undefined where it was interrupted. */
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
