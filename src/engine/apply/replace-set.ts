import { createHash } from 'node:crypto';
import { afterReload } from './after-reload.ts';
import type { ApplyOutcome } from './apply-outcome.ts';
import type { ReloadOutcome } from './ask-supervisor.ts';
import {
  bringIntoService,
  type Compare,
  reload,
  requestFor,
  type ServeRequest,
} from './bring-into-service.ts';
import { type Damaged, isServed, type Pending, refusedBy } from './check-after.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import type { Rendered } from './file-set.ts';
import type { ForeignFile } from './foreign-file.ts';
import type { KnownFiles } from './known-files.ts';
import { keepModes, type LiveFile } from './live-file.ts';
import { BACK_MS, type MainFile, type PlacedSet, placedOf, readMainFile, stampAt } from './main-file.ts';
import { removeOldSets } from './old-sets.ts';
import { putInPlace, syncSet } from './put-in-place.ts';
import { holdsAll, isInPlace, isKnownOther, type StagedSet, stageSet } from './set-folder.ts';
import type { SpareSet } from './spare-set.ts';
import { updateAhead, whatRuns } from './update-ahead.ts';
import { type VerifyingCheck, verifyingCheck } from './verifying-check.ts';

/** Trust files we wrote for 5 s: stat() of thousands is slow. Runtime updates never wait for it; if it is due, it follows. */
const TRUST_MS = 5_000;

export interface ReplaceOptions {
  /** Validation by HAProxy itself. */
  readonly check: ConfigurationCheck;
  /** Computes the runtime update between two sets. Undefined: every change is a reload. */
  readonly difference?: Compare;
  /**
   * If the supervisor makes runtime updates, a change of our file is validated by `settle` after HAProxy has it: clients of a large configuration
   * do not wait for validation. A file that HAProxy started with needs none. Undefined: every file is validated before it is put in place.
   */
  readonly checksAfter?: boolean;
  /** Called before a reload, not before a runtime update. */
  readonly onReload?: () => void;
  /** A file that hawser did not write was saved under another name, and replaced. */
  readonly onForeign?: (foreign: ForeignFile) => void;
}

export interface Placing extends Pending {
  readonly known: KnownFiles;
  readonly spare: SpareSet;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** When the files of the set in place were last verified, or the first set was written: monotonic milliseconds. */
  verifiedAtMs: number;
}

export interface Replacement {
  readonly file: LiveFile;
  readonly rendered: Rendered;
  readonly options: ReplaceOptions;
  readonly memory: Placing;
  readonly signal: AbortSignal;
  /** False: verify every file of the set in place first. */
  readonly mayTrust: boolean;
  /** Restored if this set is refused. Undefined: the last validated file. */
  readonly back?: MainFile | undefined;
}

/** Puts a set in place, unless it already is, and brings it into service. */
export async function replaceSet(parts: Replacement & { readonly mayTrust: false }): Promise<ApplyOutcome>;
export async function replaceSet(parts: Replacement): Promise<ApplyOutcome | Damaged>;
export async function replaceSet(parts: Replacement): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, memory, mayTrust } = parts;
  const main = await readMainFile(file, memory.inPlace);
  const isOther = main !== undefined && isKnownOther(main, rendered);
  const isFresh = mayTrust && memory.now() - memory.verifiedAtMs < TRUST_MS;
  // HAProxy has yet to read a set that is not served: verify it first.
  const isTrusted = isFresh && memory.served === main?.sha256;
  const isThere =
    main !== undefined && !isOther && (await isInPlace(main, rendered, memory.known, isTrusted));
  if (isThere) return await serveInPlace(parts, main, isTrusted);
  return await replaceBy(parts, main, { isOther, isFresh });
}

async function serveInPlace(
  parts: Replacement,
  main: MainFile,
  isTrusted: boolean,
): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, options, memory, signal } = parts;
  await keepModes(file, rendered.mode);
  const { sha256, folder } = main;
  const stamp = memory.inPlace?.sha256 === sha256 ? memory.inPlace.stamp : undefined;
  const placed = { sha256, folder, rendered, stamp };
  memory.inPlace = placed;
  if (!isTrusted) memory.verifiedAtMs = memory.now();
  if (memory.unchecked?.sha256 !== sha256 && (await isServed(sha256, memory, signal))) {
    fillSpare(parts, placed);
    return { kind: 'unchanged' };
  }
  const staged = { parts: () => [main.bytes()], folder, sync: async () => undefined };
  const verifying = verifyingCheck(options.check, undefined);
  options.onReload?.();
  return await serve(parts, {
    before: ownFile(main),
    staged,
    placed,
    request: reload,
    isCheckedAfter: false,
    verifying,
  });
}

/** HAProxy may have started with the edited file, and the hash of the main file does not show it. */
const reloadEdited: ServeRequest = {
  ...{ kind: 'reload', what: 'files-changed', reason: 'a file of the set was edited by hand' },
};

interface Trust {
  /** The set in place is known and differs. */
  readonly isOther: boolean;
  /** Its files were verified within `TRUST_MS`. */
  readonly isFresh: boolean;
}

async function replaceBy(
  parts: Replacement,
  main: MainFile | undefined,
  { isOther, isFresh }: Trust,
): Promise<ApplyOutcome | Damaged> {
  const { file, rendered, options, memory, signal, mayTrust } = parts;
  const { known, spare } = memory;
  const before = ownFile(main);
  const runs = isOther ? await whatRuns(before, memory, signal) : before;
  const found = isOther && runs?.rendered ? options.difference?.(runs.rendered, rendered) : undefined;
  const isRuntime = mayTrust && found !== undefined && found.kind !== 'reload';
  const isTrusted = isOther && (isFresh || isRuntime);
  const isCheckedAfter =
    options.checksAfter === true && before !== undefined && (await memory.supervisor.makesChanges(signal));
  const isFirst = isCheckedAfter && isRuntime && found.kind === 'runtime';
  const updated = async (request: ServeRequest): Promise<ServeRequest> =>
    request.kind === 'change' && isFirst ? await updateAhead(request, rendered, memory, signal) : request;
  // An update that reads no file of the set need not wait for them.
  const early =
    isFirst && found.readsFiles !== true && runs !== undefined
      ? await updated({ kind: 'change', from: runs.sha256, changes: found.changes })
      : undefined;
  const staged = await stageSet(file, main, rendered, { known, spare, isTrusted });
  const isWhole = async (): Promise<boolean> => {
    const holds = staged.folder === undefined || (await holdsAll(staged.folder, rendered, known));
    memory.verifiedAtMs = holds ? memory.now() : Number.NEGATIVE_INFINITY;
    return holds;
  };
  const verifying = verifyingCheck(options.check, isTrusted ? isWhole : undefined);
  const planned = (): ServeRequest => {
    if (before === undefined || runs === undefined) return reload;
    const edit = { from: runs.sha256, before, rendered, staged, found };
    const request = requestFor(edit, options.difference);
    return request.kind === 'change' && staged.isEdited === true ? reloadEdited : request;
  };
  const request = early ?? (await updated(planned()));
  if (request.kind === 'reload') options.onReload?.();
  const timeMs = Date.now() - BACK_MS;
  const hash = createHash('sha256');
  const check = isCheckedAfter ? undefined : verifying.check;
  const isKnown = async (): Promise<boolean> =>
    before?.rendered !== undefined && (await readMainFile(file, memory.inPlace))?.sha256 === before.sha256;
  const putting = { ...options, mode: rendered.mode, check, timeMs, isKnown, hash };
  const refusal = await putInPlace(file, staged, putting, signal);
  if (verifying.isDamaged()) return { kind: 'damaged', back: undefined };
  if (refusal !== undefined) return refusal;
  if (!isTrusted) memory.verifiedAtMs = memory.now();
  const sha256 = hash.digest('hex');
  const placed = { sha256, folder: staged.folder, rendered, stamp: await stampAt(file.path, timeMs) };
  const mustVerify = isTrusted && !isFresh;
  const back = parts.back ?? memory.unchecked?.back ?? before;
  return await serve(parts, { before: back, staged, placed, request, isCheckedAfter, verifying, mustVerify });
}

/** The set that is in place now. */
interface Placed {
  /** The previous file of ours, validated. */
  readonly before: MainFile | undefined;
  readonly staged: StagedSet;
  readonly placed: PlacedSet;
  readonly request: ServeRequest;
  /** It is validated after HAProxy has it. */
  readonly isCheckedAfter: boolean;
  readonly verifying: VerifyingCheck;
  /** Verify each file before validation. */
  readonly mustVerify?: boolean;
}

async function serve(parts: Replacement, now: Placed): Promise<ApplyOutcome | Damaged> {
  const { before, staged, placed, isCheckedAfter, verifying, mustVerify = false } = now;
  const { file, rendered, memory, mayTrust } = parts;
  const { mode } = rendered;
  const { sha256 } = placed;
  const overtaken = memory.unchecked?.sha256 === sha256 ? undefined : memory.unchecked;
  // Unknown from here until the supervisor confirms a text.
  memory.served = undefined;
  memory.runtimeSet = undefined;
  const sinceMs = overtaken?.sinceMs ?? memory.now();
  const unchecked = {
    sha256,
    mode,
    parts: staged.parts,
    rendered,
    sinceMs,
    back: before,
    verifying,
    mustVerify,
  };
  if (isCheckedAfter) memory.unchecked = unchecked;
  const { brought, removed } = await bringAndSync(parts, now);
  fillSpare(parts, placed);
  const outcome = await verdictOn(brought, parts, now);
  const isDamaged = verifying.isDamaged() || removed !== undefined;
  if (outcome.kind !== 'rejected' || isDamaged) memory.inPlace = placed;
  if (isDamaged && mayTrust) return { kind: 'damaged', back: before };
  if (removed !== undefined) return removed;
  // The refused file was replaced by the previous one, which is still known.
  if (outcome.kind === 'rejected') memory.inPlace = placedOf(before) ?? memory.inPlace;
  if (outcome.kind === 'reloaded') memory.served = sha256;
  const settled = await afterReload(file, { staged, sha256, before, mode }, outcome);
  await removeOldSets(file, memory.unchecked?.back?.folder);
  if (settled.kind !== 'rejected' || overtaken === undefined) return settled;
  // The running configuration came from a file that is gone.
  parts.options.onReload?.();
  return { ...settled, back: await memory.supervisor.reload(parts.signal) };
}

/** `removed` if another process removed a file of the set before it was synced. */
async function bringAndSync(
  { file, memory, signal }: Replacement,
  { staged, placed, request, isCheckedAfter }: Placed,
): Promise<{ readonly brought: ReloadOutcome; readonly removed: ApplyOutcome | undefined }> {
  const wanted = { sha256: placed.sha256, isChecked: !isCheckedAfter };
  const sync = async () => (isCheckedAfter ? await syncSet(file, staged) : undefined);
  // Sync before a reload: the supervisor keeps a copy of what it starts.
  const early = request.kind === 'reload' ? await sync() : undefined;
  const brought = await bringIntoService(request, wanted, memory.supervisor, signal);
  return { brought, removed: request.kind === 'reload' ? early : await sync() };
}

/**
 * A runtime update is left to `settle`; a loaded file needs no validation. What the supervisor refused is validated now: a failed start explains
 * less, and two HAProxy builds may disagree.
 */
async function verdictOn(
  brought: ReloadOutcome,
  { file, memory, signal }: Replacement,
  { placed, verifying, mustVerify }: Placed,
): Promise<ApplyOutcome> {
  const isUnchecked = memory.unchecked?.sha256 === placed.sha256;
  switch (brought.kind) {
    case 'reloaded':
      if (isUnchecked && brought.atRunTime === true) return { ...brought, isUnchecked };
      memory.unchecked = undefined;
      if (mustVerify === true) await verifying.verify();
      return brought;
    case 'rejected': {
      if (!isUnchecked) return brought;
      const found = await verifying.check(file.path, signal);
      if (found.kind === 'invalid') return refusedBy(found);
      return found.kind === 'valid' ? brought : { ...brought, isUnchecked };
    }
    case 'unreachable':
      return isUnchecked ? { ...brought, isUnchecked } : brought;
  }
}

/** A file that hawser did not write is never restored. */
function ownFile(main: MainFile | undefined): MainFile | undefined {
  return main?.isOwn === true ? main : undefined;
}

/** Only runtime updates are fast enough to notice the wait for files. */
function fillSpare({ file, options, memory, signal }: Replacement, { folder, rendered }: PlacedSet): void {
  if (options.difference !== undefined && folder !== undefined)
    memory.spare.fill(file, folder, rendered, signal);
}
